package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.Statement;
import io.github.kobe.cluster.Statement.Kind;
import io.github.kobe.cluster.StoreNode;
import io.github.kobe.cluster.StoreScene;
import io.github.kobe.testing.Depth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The script answers as core does, whatever is said to it: by nodes that come, go and come again, late, doubled and reordered, on a
 * server whose clock is set, that forgets, goes back, is another one, and returns.
 */
@Tag("deep")
@Tag("CL70")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@ExtendWith(OneServer.class)
class ScriptTwinTests {

    private static final int RUNS = Depth.pick(1, 25, 3_000);
    private static final int STEPS = 400;

    @Test
    void answerAlike() {
        for (long seed = Depth.seed(), last = seed + RUNS; seed < last; seed++) {
            Run run = new Run(seed);
            for (int i = 0; i < STEPS; i++) {
                run.step("seed %d, step %d".formatted(seed, i));
            }
        }
    }

    /** One sequence of events, in both. */
    private static final class Run {

        private final Random random;
        private final Side java;
        private final Side lua;

        private Run(long seed) {
            random = new Random(seed);
            boolean learns = random.nextBoolean();
            StoreScene.Maker redis = ScriptScene.on(OneServer.connection());
            java = new Side(
                    learns
                            ? StoreScene.inMemory().thatLearns()
                            : StoreScene.inMemory().thatKnows());
            lua = new Side(learns ? redis.thatLearns() : redis.thatKnows());
            both(side -> side.nodes.forEach(StoreNode::open));
        }

        private void step(String as) {
            long seed = random.nextLong();
            Object inJava = java.step(new Random(seed));
            Object inLua = lua.step(new Random(seed));
            assertThat(inLua).as(as).isEqualTo(inJava);
            assertThat(lua.told()).as(as).isEqualTo(java.told());
            assertThat(lua.scene.log()).as(as).isEqualTo(java.scene.log());
        }

        private void both(Consumer<Side> change) {
            change.accept(java);
            change.accept(lua);
        }
    }

    /** What happens in one of them. */
    private static final class Side {

        private final StoreScene scene;
        private final List<StoreNode> nodes = new ArrayList<>();
        private final List<Statement> sent = new ArrayList<>();
        private Object copy = "";
        private int opened;

        private Side(StoreScene scene) {
            this.scene = scene;
            for (int i = 0; i < 5; i++) {
                nodes.add(newNode());
            }
        }

        private StoreNode newNode() {
            return scene.node("n" + opened++);
        }

        private Object step(Random random) {
            int at = random.nextInt(nodes.size());
            StoreNode node = nodes.get(at);
            switch (random.nextInt(40)) {
                case 0 -> scene.pass(random.nextInt(20_000));
                case 1, 2, 3 -> scene.pass(random.nextInt(3_000));
                case 4 -> scene.setClock(random.nextInt(20_000) - 10_000);
                case 5 -> copy = scene.remembered();
                case 6 -> {
                    if (!copy.equals("") && random.nextInt(3) == 0) {
                        scene.goBackTo(copy);
                    }
                }
                case 7 -> {
                    if (random.nextInt(10) == 0) {
                        scene.becomes("run-" + random.nextInt(3), "replication-" + random.nextInt(3));
                    }
                }
                case 8, 9 -> {
                    nodes.set(at, newNode());
                    return nodes.get(at).open();
                }
                case 10 -> {
                    Answer answer = node.close();
                    nodes.set(at, newNode());
                    return List.of(answer, nodes.get(at).open());
                }
                case 11, 12 -> {
                    if (!sent.isEmpty()) {
                        return node.lose(sent.get(random.nextInt(sent.size())));
                    }
                }
                case 13 -> {
                    return node.lose(node.statement(Kind.OPEN));
                }
                case 14 -> {
                    return scene.look(random.nextBoolean() ? null : "g:" + random.nextInt(4));
                }
                case 15 -> {
                    if (random.nextInt(4) == 0) {
                        return node.withLease(random.nextBoolean() ? 15_000 : 5_500)
                                .exchange();
                    }
                }
                case 16, 17, 18 -> {
                    return node.heartbeat(demands(random));
                }
                default -> {
                    scene.pass(random.nextInt(60));
                    Statement statement = node.statement(Kind.EXCHANGE, demands(random));
                    sent.add(statement);
                    return random.nextInt(10) == 0 ? node.lose(statement) : node.send(statement);
                }
            }
            return "";
        }

        private static Demand[] demands(Random random) {
            List<Demand> demands = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                if (random.nextInt(2) == 0) {
                    int limit = random.nextInt(6) == 0 ? 1 + random.nextInt(8) : 1 + 2 * i;
                    int has = random.nextInt(3) == 0 ? 0 : random.nextInt(limit + 2);
                    int want = random.nextInt(4) == 0 ? 0 : random.nextInt(limit + 3);
                    demands.add(new Demand("g:" + i, has, want, random.nextInt(3), limit));
                }
            }
            return demands.toArray(Demand[]::new);
        }

        private List<Hint> told() {
            return scene.hints().stream()
                    .sorted(Comparator.comparing(Hint::session))
                    .toList();
        }
    }
}
