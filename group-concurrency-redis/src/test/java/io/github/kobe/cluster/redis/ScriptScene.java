package io.github.kobe.cluster.redis;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import io.github.kobe.cluster.StoreScene;
import io.lettuce.core.RestoreArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The script in a real Redis, which is told the time and who it is, and puts its hints into a list. Everything else is as it is
 * carried out in earnest.
 */
final class ScriptScene extends StoreScene {

    private static final AtomicLong SCENES = new AtomicLong();

    private final RedisCommands<byte[], byte[]> redis;
    private final byte[] key = Bytes.of("scene{" + SCENES.incrementAndGet() + "}");
    private final byte[] published = Bytes.of("hints{" + SCENES.get() + "}");
    private final byte[] script;
    private final String digest;

    private ScriptScene(StatefulRedisConnection<byte[], byte[]> connection, boolean learns) {
        redis = connection.sync();
        script = instrumented(learns);
        digest = redis.scriptLoad(script);
    }

    /** {@return a maker of scenes on a server} */
    static Maker on(StatefulRedisConnection<byte[], byte[]> connection) {
        return new Maker() {
            @Override
            public StoreScene thatLearns() {
                return new ScriptScene(connection, true);
            }

            @Override
            public StoreScene thatKnows() {
                return new ScriptScene(connection, false);
            }
        };
    }

    private byte[] instrumented(boolean learns) {
        String text = new String(Script.EXCHANGE.text(), StandardCharsets.UTF_8);
        text = replace(text, "local key, me,", """
            local millis, replicationId, runId = table.remove(ARGV) + 0, table.remove(ARGV), table.remove(ARGV)
            local function published(channel, message)
                redis.call('RPUSH', '%s', channel, message)
                return 0
            end
            local key, me,\
            """.formatted(Bytes.text(published)));
        text = replace(text, "call('TIME')", "{ floor(millis / 1000), millis % 1000 * 1000 }");
        text = replace(
                text,
                "call('INFO', 'server', 'replication')",
                "'\\nrun_id:' .. runId .. '\\r\\nmaster_replid:' .. replicationId .. '\\r\\n'");
        text = replace(text, "redis.pcall('PUBLISH', ", "published(");
        if (!learns) {
            text = replace(text, "learnt = max(learnt, log + ofLease)", "learnt = max(learnt, log)");
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String replace(String text, String what, String by) {
        int at = text.indexOf(what);
        if (at < 0 || text.indexOf(what, at + 1) >= 0) {
            throw new IllegalStateException("not once in the script: " + what);
        }
        return text.substring(0, at) + by + text.substring(at + what.length());
    }

    @Override
    public ClusterStore store() {
        return new ClusterStore() {
            @Override
            public CompletionStage<Answer> exchange(Statement statement) {
                return CompletableFuture.completedStage(say(statement));
            }

            @Override
            public Runnable onHint(Consumer<Hint> listener) {
                throw new UnsupportedOperationException();
            }

            @Override
            public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
                return CompletableFuture.completedStage(shown(resource == null ? "" : resource));
            }

            @Override
            public void close() {
                throw new UnsupportedOperationException();
            }
        };
    }

    private Answer say(Statement statement) {
        List<byte[]> arguments = new ArrayList<>(List.of(Wire.arguments(statement)));
        arguments.add(Bytes.of(runId()));
        arguments.add(Bytes.of(replicationId()));
        arguments.add(Bytes.of(Long.toString(millis())));
        List<Object> reply =
                redis.evalsha(digest, ScriptOutputType.MULTI, new byte[][] {key}, arguments.toArray(byte[][]::new));
        List<byte[]> told = redis.lrange(published, 0, -1);
        if (!told.isEmpty()) {
            redis.del(published);
        }
        for (int i = 0; i < told.size(); i += 2) {
            String session = Bytes.text(told.get(i)).substring(Bytes.text(key).length() + 1);
            told(new Hint(session, Wire.resources(told.get(i + 1))));
        }
        return Wire.reply(statement, reply).answer();
    }

    private List<NodeShare> shown(String resource) {
        Map<String, NodeShare> all = new HashMap<>();
        String cursor = "0";
        do {
            Wire.Page page = Wire.page(redis.eval(
                    Script.LOOK.text(), ScriptOutputType.MULTI, new byte[][] {key}, Wire.arguments(resource, cursor)));
            page.shares().forEach(share -> all.merge(share.session(), share, Wire::sum));
            cursor = page.cursor();
        } while (!cursor.equals("0"));
        return all.values().stream()
                .sorted(Comparator.comparing(NodeShare::node).thenComparing(NodeShare::session))
                .toList();
    }

    @Override
    public Object remembered() {
        return redis.dump(key);
    }

    @Override
    public void goBackTo(Object earlier) {
        redis.restore(key, (byte[]) earlier, RestoreArgs.Builder.ttl(0).replace());
    }

    @Override
    public void forgetEverything() {
        redis.del(key);
    }

    @Override
    public long log() {
        return Long.parseLong(field("!").split(" ", -1)[2]);
    }

    @Override
    public Set<String> resources() {
        return redis.hkeys(key).stream()
                .map(Bytes::text)
                .filter(field -> field.startsWith("g:"))
                .collect(Collectors.toSet());
    }

    @Override
    public void remember(Map<String, List<Place>> places) {
        Map<String, String> births = new HashMap<>();
        for (String session : field("n").split(";", 0)) {
            String[] words = session.split(" ", -1);
            births.put(words[0], words[1]);
        }
        IdentityHashMap<byte[], byte[]> fields = new IdentityHashMap<>();
        places.forEach((resource, some) -> fields.put(
                Bytes.of(resource),
                Bytes.of(some.stream()
                        .map(place -> text(place, births.get(place.session())))
                        .collect(Collectors.joining()))));
        redis.hset(key, fields);
    }

    private static String text(Place place, String birth) {
        return birth + " " + place.has() + " " + place.want() + " " + place.limit() + " " + place.told() + " "
                + stamp(place.spoke()) + " " + stamp(place.since()) + " " + stamp(place.granted()) + " "
                + stamp(place.fell()) + " " + stamp(place.hinted()) + ";";
    }

    private static String stamp(long stamp) {
        return stamp == NEVER ? "-" : Long.toString(stamp);
    }

    /** {@return the text of a field} */
    String field(String name) {
        return Bytes.text(redis.hget(key, Bytes.of(name)));
    }

    void put(String field, String text) {
        redis.hset(key, Bytes.of(field), Bytes.of(text));
    }
}
