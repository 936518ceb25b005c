package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One node, step by step, whose answers come when a test says so. */
class ClusterStepsTests {

    private static final String KEY = "a";
    private static final int LIMIT = 4;
    private static final Duration MOMENT = Duration.ofMillis(5);
    private static final Duration LONG = Duration.ofMinutes(10);

    /** A node whose answers come when the test says so. */
    private static final class ByHand implements ClusterStore {

        private final AtomicLong nanos = new AtomicLong(1_000_000_000);
        private final InMemoryStore store = new InMemoryStore(
                new Server() {
                    @Override
                    public long millis() {
                        return TimeUnit.NANOSECONDS.toMillis(nanos.get());
                    }

                    @Override
                    public Identity identity() {
                        return new Identity("run", "replication");
                    }
                },
                false);
        private final List<Runnable> answers = new ArrayList<>();
        private final List<Statement> said = new ArrayList<>();

        /** Threads that have started and have not run yet. */
        private final Deque<Runnable> threads = new ArrayDeque<>();

        /** By how much the wall clock was set. */
        private Duration set = Duration.ZERO;

        private Runnable whileItSteps = () -> {};
        private Runnable whileTheClockIsRead = () -> {};
        private @Nullable Consumer<Hint> listener;
        private final ClusterNode node;
        private final GroupExecutor executor;

        private ByHand(UnaryOperator<ClusterSettings> settings) {
            node = new ClusterNode(
                    settings.apply(ClusterSettings.of(this).withNodeName("by-hand")),
                    new ClusterNode.Surroundings(
                            this::nanoTime,
                            () -> {
                                whileItSteps.run();
                                return TimeUnit.NANOSECONDS.toMillis(nanos.get()) + set.toMillis();
                            },
                            new Random(1)));
            executor = EngineAccess.newExecutor(
                    policy(LIMIT), new Surroundings(this::nanoTime, this::thread, false), node);
            node.join(EngineAccess.engine(executor));
        }

        private static GroupPolicy policy(int limit) {
            return GroupPolicy.builder()
                    .defaults(GroupLimits.unset().withMaxConcurrency(50).withClusterMaxInFlight(limit))
                    .build();
        }

        private Thread thread(String name, Runnable work) {
            return new Thread(work, name) {
                @Override
                public void start() {
                    threads.add(work);
                }
            };
        }

        private long step() {
            long sleep = node.step();
            for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
                next.run();
            }
            return sleep;
        }

        private long nanoTime() {
            whileTheClockIsRead.run();
            return nanos.get();
        }

        private void pass(Duration time) {
            nanos.addAndGet(time.toNanos());
        }

        private void answer() {
            List<Runnable> all = List.copyOf(answers);
            answers.clear();
            all.forEach(Runnable::run);
        }

        /** Steps, and has answered what is said, for so long. */
        private void go(Duration time) {
            long end = nanos.get() + time.toNanos();
            while (nanos.get() < end) {
                long sleep = step();
                answer();
                nanos.addAndGet(Math.min(Math.max(sleep, 100_000), 1_000_000));
            }
        }

        /** {@return what it says next, which has no answer yet} */
        private Statement nextSaid() {
            int before = said.size();
            for (int i = 0; said.size() == before; i++) {
                assertThat(i).as("has said nothing for 5 s").isLessThan(5_000);
                step();
                pass(Duration.ofMillis(1));
            }
            return said.getLast();
        }

        @Override
        public CompletionStage<Answer> exchange(Statement statement) {
            said.add(statement);
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            answers.add(() -> answer.complete(
                    store.exchange(statement).toCompletableFuture().join()));
            return answer;
        }

        @Override
        public Runnable onHint(Consumer<Hint> added) {
            listener = added;
            return () -> {}; // a hint may be under way
        }

        @Override
        public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
            return store.look(resource);
        }

        @Override
        public void close() {
            // It has nothing of its own.
        }
    }

    /**
     * With a real store the answer is handed over by another thread: it may come between the reading of the clock at the start of
     * a step and the look into the inbox. Then the next statement of that step says that it was heard in the future.
     */
    @Test
    void anAnswerThatComesWhileAStepHasBegunDoesNoHarm() {
        ByHand hand = new ByHand(UnaryOperator.identity());
        hand.go(Duration.ofSeconds(1));
        CompletionStage<GroupPermit> asked = hand.executor.acquireAsync(KEY, "", LONG);
        hand.step(); // says that it lacks some
        var unused = hand.executor.acquireAsync("b", "", LONG);
        hand.step(); // has to wait for the answer
        assertThat(hand.answers).hasSize(1);

        hand.pass(MOMENT);
        hand.whileItSteps = () -> {
            hand.pass(Duration.ofNanos(500));
            hand.answer();
        };
        hand.step();
        assertThat(asked.toCompletableFuture()).isDone();
    }

    /** As if there were no memory for a moment: what can't be looked at is to be looked at later. */
    @Test
    @Tag("CL58")
    void whatCouldNotBeLookedAtIsLookedAtLater() {
        ByHand hand = new ByHand(UnaryOperator.identity());
        hand.go(Duration.ofSeconds(1));
        CompletionStage<GroupPermit> asked = hand.executor.acquireAsync(KEY, "", LONG);
        int[] left = {2}; // the first reading is that of the step, the second is of who looks at the group
        hand.whileTheClockIsRead = () -> {
            left[0]--;
            if (left[0] == 0) {
                throw new OutOfMemoryError("for the test");
            }
        };
        try {
            hand.step();
        } catch (OutOfMemoryError oom) {
            // as the cluster's thread does
        }
        hand.whileTheClockIsRead = () -> {};
        hand.go(Duration.ofSeconds(10));

        assertThat(asked.toCompletableFuture()).isDone();
    }

    /** A store may outlive many executors, and tells all that have ever listened of all hints. */
    @Test
    void whoHasLeftKeepsNoHints() {
        ByHand hand = new ByHand(UnaryOperator.identity());
        hand.go(Duration.ofSeconds(1));
        hand.executor.shutdown();
        hand.go(Duration.ofSeconds(1));
        assertThat(hand.node.hasLeft()).isTrue();

        for (int i = 0; i < 1_000; i++) {
            hand.listener.accept(new Hint("another", List.of("g:" + KEY)));
        }
        assertThat(hand.node.inbox().isEmpty()).isTrue();
    }

    /** CL16: a wall clock that is set is no outage of a whole lease. */
    @Test
    @Tag("CL16")
    void aWallClockThatIsSetKeepsNobodyFromStartingForLong() {
        ByHand hand = new ByHand(UnaryOperator.identity());
        hand.go(Duration.ofSeconds(1));
        List<CompletionStage<GroupPermit>> all = new ArrayList<>();
        for (int i = 0; i < LIMIT; i++) {
            all.add(hand.executor.acquireAsync(KEY, "", LONG));
        }
        hand.go(Duration.ofSeconds(1));
        all.forEach(asked -> asked.toCompletableFuture().join().close());
        hand.set = Duration.ofSeconds(6);
        hand.go(Duration.ofSeconds(1));
        CompletionStage<GroupPermit> asked = hand.executor.acquireAsync(KEY, "", LONG);
        long from = hand.nanos.get();
        for (int i = 0; i < 200 && !asked.toCompletableFuture().isDone(); i++) {
            hand.go(Duration.ofMillis(100));
        }
        assertThat(Duration.ofNanos(hand.nanos.get() - from)).isLessThan(Duration.ofSeconds(2));
    }

    /** {@return what runs, and many that wait for the limit} */
    private static ByHand withMoreThanTheLimit() {
        ByHand hand = new ByHand(UnaryOperator.identity());
        hand.go(Duration.ofSeconds(1));
        for (int i = 0; i < 5 * LIMIT; i++) {
            var unused = hand.executor.acquireAsync(KEY, "", LONG);
        }
        hand.go(Duration.ofSeconds(1));
        return hand;
    }

    @Test
    @Tag("CL2")
    void allThatALimitAllowsIsWantedAsSoonAsItIsRaised() {
        ByHand hand = withMoreThanTheLimit();
        hand.executor.updatePolicy(ByHand.policy(2 * LIMIT));

        assertThat(hand.nextSaid().demands()).extracting(Demand::want).containsExactly(2 * LIMIT);
    }

    /** The answer to what was said before knows of the lower number alone. */
    @Test
    @Tag("CL2")
    void allThatALimitAllowsIsWantedThoughItIsRaisedWhileAnAnswerIsUnderWay() {
        ByHand hand = withMoreThanTheLimit();
        assertThat(hand.nextSaid().demands()).extracting(Demand::limit).containsExactly(LIMIT);
        hand.executor.updatePolicy(ByHand.policy(2 * LIMIT));
        hand.step();
        hand.answer();

        assertThat(hand.nextSaid().demands()).extracting(Demand::want).containsExactly(2 * LIMIT);
    }

    /** Its thread is late each time, as on a machine that has too much to do. */
    @Test
    void whoIsAlwaysLateSpeaksNevertheless() {
        ByHand hand = new ByHand(UnaryOperator.identity());
        hand.go(Duration.ofSeconds(5));
        int said = hand.said.size();
        for (int i = 0; i < 20; i++) {
            hand.pass(Duration.ofNanos(hand.step()).plusMillis(1_010));
            hand.answer();
        }
        assertThat(hand.said.size() - said).isPositive();
        assertThat(hand.node.countsUntil()).isPositive();
    }
}
