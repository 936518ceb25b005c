package io.github.kobe.cluster.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Looks at how Redis is set up, and warns of what endangers the limit, or makes it slow. Used by the loop. */
final class Setup {

    private static final System.Logger LOG = System.getLogger(RedisClusterStore.class.getName());

    private final Loop loop;
    private final Set<String> logged = new HashSet<>();
    private List<String> ofServer = List.of();

    /** Whether a script was not allowed to send hints; for any thread. */
    private volatile boolean sendingDenied;

    /** Whether hints may not be heard; for any thread. */
    private volatile boolean hearingDenied;

    /** For any thread. */
    private volatile List<String> warnings = List.of();

    Setup(Loop loop) {
        this.loop = loop;
    }

    /** {@return what there is to warn of, for any thread} */
    List<String> warnings() {
        return warnings;
    }

    /** A script told whether it was allowed to send hints. For any thread. */
    void sent(boolean denied) {
        if (denied && !sendingDenied) {
            sendingDenied = true;
            loop.run(this::tell);
        }
    }

    /** The server told whether hints may be heard. For any thread. */
    void heard(boolean denied) {
        if (denied != hearingDenied) {
            hearingDenied = denied;
            loop.run(this::tell);
        }
    }

    /** Looks at a server, anew. */
    void check(StatefulRedisConnection<byte[], byte[]> connection) {
        sendingDenied = false;
        CompletionStage<String> memory = connection.async().info("memory");
        memory.thenCombine(connection.async().info("replication"), Setup::warnings)
                .thenAccept(found -> loop.run(() -> {
                    ofServer = found;
                    tell();
                }));
    }

    private void tell() {
        List<String> all = new ArrayList<>(ofServer);
        if (sendingDenied) {
            all.add("The user of the store may not PUBLISH on its channels: without hints capacity moves more slowly.");
        }
        if (hearingDenied) {
            all.add("The user of the store may not SUBSCRIBE to its channels: without hints capacity moves more"
                    + " slowly.");
        }
        warnings = List.copyOf(all);
        for (String warning : all) {
            if (logged.add(warning)) {
                LOG.log(Level.WARNING, "The store in Redis: {0}", warning);
            }
        }
    }

    /** {@return what there is to warn of in what the server tells} */
    static List<String> warnings(String memory, String replication) {
        List<String> all = new ArrayList<>();
        value(memory, "maxmemory_policy")
                .filter(policy -> policy.startsWith("allkeys-"))
                .ifPresent(policy ->
                        all.add("maxmemory-policy is " + policy + ", so what nodes have said may be evicted, and"
                                + " then nothing is granted for a lease: set noeviction or a volatile- policy."));
        String replicas = value(replication, "connected_slaves").orElse("0");
        boolean guarded = value(replication, "min_slaves_good_slaves").isPresent();
        if (!replicas.equals("0") && !guarded) {
            all.add("Redis has " + replicas
                    + " replicas and no min-replicas-to-write: if it is cut off from them and goes on"
                    + " beside a new primary, both grant the whole limit. Set min-replicas-to-write to the number of"
                    + " replicas.");
        }
        return all;
    }

    private static Optional<String> value(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1))
                .findFirst();
    }
}
