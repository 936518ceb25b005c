package io.github.kobe.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The only Redis of this JVM, for all who need one. It starts for the first of them.
 *
 * <p>An instance stays connected that does nothing. Without it the store would be silent between two contestants, and then grant
 * nothing for a lease.
 */
final class Redis {

    /** What all instances share. */
    static final String NAMESPACE = "benchmarks";

    private static final String KEY = "gc:{" + NAMESPACE + "}";
    private static final String CARRIED_OUT = "total_commands_processed:";
    private static final String MEMORY = "return redis.call('MEMORY', 'USAGE', KEYS[1], 'SAMPLES', '0')";

    private static @Nullable Redis only;

    private final String address = "redis://localhost:" + RedisServer.start().port();
    private final RedisCommands<String, String> commands;

    @SuppressWarnings({"unused", "FieldCanBeLocal"}) // stays connected as long as somebody refers to it
    private final Ours silent;

    private Redis() {
        commands = RedisClient.create(address).connect().sync();
        silent = new OursOverInstances(Limits.perGroup(1), address);
    }

    static synchronized Redis only() {
        Redis known = only;
        if (known == null) {
            known = new Redis();
            only = known;
        }
        return known;
    }

    /** {@return where it is, as a URI} */
    String address() {
        return address;
    }

    RedisCommands<String, String> commands() {
        return commands;
    }

    /** {@return how many commands it has carried out, those inside of scripts included} */
    long carriedOut() {
        return commands.info("stats")
                .lines()
                .filter(line -> line.startsWith(CARRIED_OUT))
                .mapToLong(line -> Long.parseLong(line.substring(CARRIED_OUT.length())))
                .findFirst()
                .orElseThrow();
    }

    /** {@return how many bytes all take that instances share} */
    long memory() {
        Long bytes = commands.eval(MEMORY, ScriptOutputType.INTEGER, KEY);
        return Objects.requireNonNull(bytes);
    }

    /** {@return of how many groups instances have or want something, or had} */
    long groups() {
        return commands.hkeys(KEY).stream()
                .filter(field -> field.startsWith("g:"))
                .count();
    }
}
