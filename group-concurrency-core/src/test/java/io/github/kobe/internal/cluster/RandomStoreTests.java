package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Grant;
import io.github.kobe.cluster.Statement;
import io.github.kobe.cluster.Statement.Kind;
import io.github.kobe.cluster.StoreNode;
import io.github.kobe.testing.Depth;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Nodes at the store in memory, over a network that loses, doubles, delays and reorders. Nobody dies or forgets: what all may use is
 * within the limit at every instant.
 */
class RandomStoreTests {

    private static final int RUNS = Depth.pick(300, 3_000, 30_000);
    private static final int STEPS = 1_000;

    /** So little that no session ends in a run. */
    private static final int LONGEST_STEP = 20;

    private record Sent(User by, Statement statement) {}

    private record Heard(Sent sent, Answer answer) {}

    /** A node that uses what it has. */
    private static final class User {

        private final StoreNode node;

        /** How much it may use. */
        private int bound;

        private int out;
        private @Nullable Statement flying;

        private User(StoreNode node) {
            this.node = node;
        }
    }

    @Test
    void whatAllMayUseIsNeverAboveTheLimitAndNothingIsLost() {
        for (long seed = Depth.seed(), last = seed + RUNS; seed < last; seed++) {
            Run run = new Run(seed);
            for (int i = 0; i < STEPS; i++) {
                run.step();
                assertThat(run.users.stream().mapToInt(user -> user.bound).sum())
                        .as("seed %d, step %d", seed, i)
                        .isLessThanOrEqualTo(run.limit);
            }
            run.giveAllBack();
            assertThat(run.users.getFirst().node.says(0, run.limit, run.limit).counted())
                    .as("seed %d", seed)
                    .isEqualTo(run.limit);
        }
    }

    /** One sequence of events. */
    private static final class Run {

        private final Random random;
        private final MemoryScene scene = new MemoryScene(false);
        private final int limit;
        private final List<User> users = new ArrayList<>();
        private final List<Sent> requests = new ArrayList<>();
        private final List<Heard> answers = new ArrayList<>();

        private Run(long seed) {
            random = new Random(seed);
            limit = 1 + random.nextInt(6);
            for (int i = 2 + random.nextInt(4); i > 0; i--) {
                users.add(new User(scene.opened("n" + i)));
            }
        }

        private void step() {
            scene.pass(random.nextInt(LONGEST_STEP));
            User user = users.get(random.nextInt(users.size()));
            switch (random.nextInt(8)) {
                case 0, 1 -> send(user);
                case 2, 3 -> carryOut();
                case 4, 5 -> hear();
                case 6 -> user.flying = random.nextInt(4) == 0 ? null : user.flying;
                default -> user.out = random.nextInt(user.bound + 1);
            }
        }

        private void send(User user) {
            if (user.flying == null) {
                user.bound = random.nextBoolean() ? user.bound : user.out;
                Demand demand =
                        new Demand(StoreNode.KEY, user.bound, random.nextInt(limit + 2), random.nextInt(2), limit);
                user.flying = user.node.statement(Kind.EXCHANGE, demand);
                requests.add(new Sent(user, user.flying));
            }
        }

        /** Any that was ever sent; some are carried out again, and some never. */
        private void carryOut() {
            if (!requests.isEmpty()) {
                int at = random.nextInt(requests.size());
                Sent sent = random.nextInt(4) == 0 ? requests.get(at) : requests.remove(at);
                if (random.nextInt(10) > 0) {
                    answers.add(new Heard(sent, sent.by.node.lose(sent.statement)));
                }
            }
        }

        private void hear() {
            if (!answers.isEmpty()) {
                Heard heard = answers.remove(random.nextInt(answers.size()));
                User user = heard.sent.by;
                if (heard.sent.statement.equals(user.flying) && heard.answer.kind() == Answer.Kind.OK) {
                    Grant grant = heard.answer.grants().getFirst();
                    user.flying = null;
                    user.bound += grant.counted()
                            - heard.sent.statement.demands().getFirst().has();
                    user.bound =
                            random.nextBoolean() ? user.bound : Math.min(user.bound, Math.max(user.out, grant.keep()));
                }
            }
        }

        private void giveAllBack() {
            for (User user : users) {
                user.node.says(0, 0, limit);
            }
        }
    }
}
