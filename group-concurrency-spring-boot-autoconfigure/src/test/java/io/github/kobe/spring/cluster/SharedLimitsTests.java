package io.github.kobe.spring.cluster;

import static io.github.kobe.spring.testing.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.WaitReason;
import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.OnStoreLoss;
import io.github.kobe.cluster.Statement;
import io.github.kobe.spring.GroupExecutorBuilder;
import io.github.kobe.spring.GroupLimitsResolver;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An application whose groups have limits over all instances: what it needs for that, and what it says if something lacks. */
@ExtendWith(OutputCaptureExtension.class)
class SharedLimitsTests {

    private static final String LIMIT = "group-concurrency.groups.a.cluster-max-in-flight=1";
    private static final String CLOSED = "group-concurrency.cluster.on-store-loss=closed";

    private final ClusterStore store = ClusterStore.inMemory();
    private final ApplicationContextRunner plain = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRedisAutoConfiguration.class));
    private final ApplicationContextRunner runner = plain.withBean(ClusterStore.class, () -> store);

    @Test
    @Tag("CL10")
    void twoApplicationsWithOneStoreShareALimit() {
        runner.withPropertyValues(LIMIT, CLOSED)
                .run(one -> runner.withPropertyValues(LIMIT, CLOSED).run(two -> {
                    GroupExecutor here = one.getBean(GroupExecutor.class);
                    GroupExecutor there = two.getBean(GroupExecutor.class);
                    Gate gate = new Gate();
                    here.submit("a", "1", gate.then("held"));
                    gate.awaitArrived(1);

                    var waiting = there.submit("a", "2", () -> "done");
                    Deadline.until(
                            "waits",
                            () -> there.groupStats("a")
                                    .flatMap(group -> group.waitsFor())
                                    .filter(WaitReason.CLUSTER_LIMIT::equals)
                                    .isPresent());
                    gate.open();

                    assertThat(Deadline.within(waiting::await).value()).isEqualTo("done");
                }));
    }

    @Test
    void theSettingsAreThoseOfTheProperties() {
        runner.withPropertyValues(
                        LIMIT,
                        "group-concurrency.cluster.on-store-loss=local",
                        "group-concurrency.cluster.lease=20s",
                        "group-concurrency.cluster.idle-return=2s",
                        "group-concurrency.cluster.node-name=pod-7")
                .run(context -> assertThat(
                                cluster(context.getBean(GroupExecutor.class)).settings())
                        .isEqualTo(ClusterSettings.of(store)
                                .withOnStoreLoss(OnStoreLoss.LOCAL)
                                .withLease(Duration.ofSeconds(20))
                                .withIdleReturn(Duration.ofSeconds(2))
                                .withNodeName("pod-7")));
    }

    @Test
    void settingsThatAreABeanCountInsteadOfTheProperties() {
        ClusterSettings own = ClusterSettings.of(store).withNodeName("own");
        plain.withBean(ClusterSettings.class, () -> own)
                .withPropertyValues(LIMIT)
                .run(context -> assertThat(
                                cluster(context.getBean(GroupExecutor.class)).settings())
                        .isEqualTo(own));
    }

    private static Cluster cluster(GroupExecutor executor) {
        return executor.cluster().orElseThrow();
    }

    // ---- what lacks

    @Test
    @Tag("CL1")
    void aLimitWithoutAStoreFailsTheStart() {
        plain.withPropertyValues(LIMIT, CLOSED)
                .run(refused(
                        "groups.a.cluster-max-in-flight",
                        "1",
                        "the jar io.github.kobe:group-concurrency-redis on the class path, with"
                                + " group-concurrency.redis.uri, or spring.data.redis.host and"
                                + " spring-boot-starter-data-redis; or a bean of type ClusterStore"));
    }

    @Test
    @Tag("CL1")
    void soDoesAResolverThatMayGiveSome() {
        plain.withBean(GroupLimitsResolver.class, () -> key -> Optional.empty())
                .withPropertyValues(CLOSED)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("needs a store by which the instances share"));
    }

    @Test
    @Tag("CL51")
    void whatHappensWithoutTheStoreHasToBeSaid() {
        runner.withPropertyValues(LIMIT)
                .run(refused(
                        "cluster.on-store-loss",
                        null,
                        "closed, if nothing is to start in these groups while their store is away; or local, if each"
                                + " instance is to go on with its own limits then"));
    }

    @Test
    void eachBadValueIsRefusedWithWhatIsAllowed() {
        runner.withPropertyValues(LIMIT, CLOSED, "group-concurrency.cluster.lease=4s")
                .run(refused("cluster.lease", "4s", "5s to 60s"));
        runner.withPropertyValues(LIMIT, CLOSED, "group-concurrency.cluster.idle-return=0s")
                .run(refused("cluster.idle-return", "0s", "more than zero, at most 1h"));
        runner.withPropertyValues(LIMIT, CLOSED, "group-concurrency.cluster.node-name= ")
                .run(refused("cluster.node-name", "", "not blank, at most 255 characters"));
        runner.withPropertyValues("group-concurrency.health.cluster-loss=-1s")
                .run(refused("health.cluster-loss", "-1s", "zero or more"));
    }

    @Test
    @Tag("CL2")
    void aGroupInWhichNothingMayWaitIsRefused() {
        runner.withPropertyValues(LIMIT, CLOSED, "group-concurrency.groups.a.queue-threshold=0")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOfSatisfying(
                                InvalidPolicyException.class,
                                refusal -> assertThat(refusal.setting()).isEqualTo("queueThreshold")));
    }

    @Test
    @Tag("CL1")
    void settingsWithoutALimitAreWarnedOf(CapturedOutput output) {
        plain.withPropertyValues(CLOSED).run(context -> {
            assertThat(context.getBean(GroupExecutor.class).cluster()).isEmpty();
            assertThat(output)
                    .contains("group-concurrency.cluster.on-store-loss has no effect: no group has a"
                            + " cluster-max-in-flight when the application starts.");
        });
    }

    @Test
    void withoutAnyOfThatNothingIsShared(CapturedOutput output) {
        runner.run(context -> {
            assertThat(context.getBean(GroupExecutor.class).cluster()).isEmpty();
            assertThat(output).doesNotContain("has no effect");
        });
    }

    @Test
    @Tag("CL7")
    void aFurtherExecutorSharesNothingAndSaysSo() {
        runner.withPropertyValues(LIMIT, CLOSED).run(context -> {
            GroupExecutor own = context.getBean(GroupExecutor.class);
            assertThat(own.cluster()).isPresent();
            assertThat(catchThrowableOfType(
                                    InvalidPolicyException.class,
                                    () -> context.getBean(GroupExecutorBuilder.class)
                                            .build("further", own.policy()))
                            .setting())
                    .isEqualTo("clusterMaxInFlight");
        });
    }

    @Test
    void aResolverMayGiveLimitsOverAllInstances() {
        GroupLimitsResolver plans = key -> Optional.of(GroupLimits.unset().withClusterMaxInFlight(3));
        runner.withBean(GroupLimitsResolver.class, () -> plans)
                .withPropertyValues(CLOSED)
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    assertThat(Deadline.within(() -> executor.call("a", () -> "done")))
                            .isEqualTo("done");
                    assertThat(executor.groupStats("a")
                                    .orElseThrow()
                                    .cluster()
                                    .orElseThrow()
                                    .limit()
                                    .value())
                            .isEqualTo(3);
                });
    }

    // ---- the start

    @Test
    @Tag("CL55")
    void theStartWaitsWhileTheStoreLearns(CapturedOutput output) {
        LearningStore learning = new LearningStore(store);
        plain.withBean(ClusterStore.class, () -> learning)
                .withPropertyValues(LIMIT, CLOSED)
                .run(context -> {
                    assertThat(output).contains("The start waits for about");
                    assertThat(cluster(context.getBean(GroupExecutor.class))
                                    .state()
                                    .kind())
                            .isEqualTo(ClusterState.Kind.CONNECTED);
                });
    }

    @Test
    @Tag("CL11")
    void theStartTellsOfWhatIsCountedForInstancesThatAreSilent(CapturedOutput output) {
        plain.withBean(ClusterStore.class, () -> new BesideTheKilled(store))
                .withPropertyValues(LIMIT, CLOSED, "group-concurrency.cluster.lease=5s")
                .run(context -> Deadline.until(
                        "it is told",
                        () -> output.getOut()
                                .contains("Instances that share limits are silent, and what they had still counts:"
                                        + " 3 for 'killed'. If they were killed, others can use that in about"
                                        + " 3 s.")));
    }

    @Test
    @Tag("CL11")
    void ifTheStoreCannotNameThemThatIsTold(CapturedOutput output) {
        plain.withBean(ClusterStore.class, () -> new BesideTheUnknown(store))
                .withPropertyValues(LIMIT, CLOSED, "group-concurrency.cluster.lease=5s")
                .run(context -> Deadline.until(
                        "it is told",
                        () -> output.getOut()
                                .contains("The store can't say which instances that share limits are silent")));
    }

    @Test
    @Tag("CL11")
    void anApplicationThatHasEndedAsksForThemNoMore(CapturedOutput output) {
        BesideTheUnknown ofTheEnded = new BesideTheUnknown(store);
        ApplicationContextRunner shared = plain.withPropertyValues(LIMIT, CLOSED, "group-concurrency.cluster.lease=5s");
        shared.withBean(ClusterStore.class, () -> ofTheEnded)
                .run(context -> assertThat(context).hasNotFailed());

        // which starts later, and therefore asks later
        shared.withBean(ClusterStore.class, () -> new BesideTheKilled(ClusterStore.inMemory()))
                .run(context -> Deadline.until(
                        "the later one has asked", () -> output.getOut().contains("are silent")));

        assertThat(ofTheEnded.asked).isFalse();
    }

    @Test
    @Tag("CL55")
    void itDoesNotWaitForAStoreThatIsAway() {
        plain.withBean(ClusterStore.class, Away::new)
                .withPropertyValues(LIMIT, CLOSED)
                .run(context -> {
                    ClusterState state =
                            cluster(context.getBean(GroupExecutor.class)).state();
                    assertThat(state.kind()).isEqualTo(ClusterState.Kind.LOST);
                    assertThat(state.reason()).contains("it is away");
                });
    }

    @Test
    @Tag("CL57")
    void whoIsRefusedStartsNevertheless() {
        runner.withPropertyValues(LIMIT, CLOSED)
                .run(first -> runner.withPropertyValues(LIMIT, CLOSED, "group-concurrency.cluster.lease=20s")
                        .run(later -> {
                            ClusterState state =
                                    cluster(later.getBean(GroupExecutor.class)).state();
                            assertThat(state.kind()).isEqualTo(ClusterState.Kind.LOST);
                            assertThat(state.reason()).contains("lease 20s, cluster has 15s");
                        }));
    }

    @Test
    @Tag("CL41")
    void theEndWaitsUntilTheStoreKnowsOfIt() {
        SlowStore slow = new SlowStore(store);
        plain.withBean(ClusterStore.class, () -> slow)
                .withPropertyValues(LIMIT, CLOSED)
                .run(context -> assertThat(Deadline.within(
                                () -> context.getBean(GroupExecutor.class).call("a", () -> "done")))
                        .isEqualTo("done"));

        assertThat(slow.told).endsWith("CLOSE", "closed");
    }

    /** Takes its time, and tells what is asked of it. */
    private static final class SlowStore extends Forwarding {

        private final List<String> told = new CopyOnWriteArrayList<>();

        private SlowStore(ClusterStore to) {
            super(to);
        }

        @Override
        public CompletionStage<Answer> exchange(Statement statement) {
            return super.exchange(statement)
                    .thenApplyAsync(
                            answer -> {
                                told.add(statement.kind().name());
                                return answer;
                            },
                            CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));
        }

        @Override
        public void close() {
            told.add("closed");
            super.close();
        }
    }

    /** Answers as a store does that has just begun, some times. */
    private static final class LearningStore extends Forwarding {

        private int left = 4;

        private LearningStore(ClusterStore to) {
            super(to);
        }

        @Override
        public synchronized CompletionStage<Answer> exchange(Statement statement) {
            boolean learns = left > 0;
            left--;
            return super.exchange(statement)
                    .thenApply(answer -> learns
                            ? new Answer(
                                    answer.kind(),
                                    answer.epoch(),
                                    Duration.ofSeconds(9),
                                    answer.nodes(),
                                    answer.grants(),
                                    answer.hints(),
                                    answer.reason())
                            : answer);
        }
    }

    /** Counts something for a node that is silent, beside one that isn't, and one that has nothing. */
    private static final class BesideTheKilled extends Forwarding {

        private BesideTheKilled(ClusterStore to) {
            super(to);
        }

        @Override
        public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
            return CompletableFuture.completedStage(List.of(
                    new NodeShare("a", "killed", 3, 1, Duration.ofSeconds(3)),
                    new NodeShare("b", "alive", 3, 1, Duration.ofSeconds(1)),
                    new NodeShare("c", "idle", 0, 0, Duration.ofSeconds(3))));
        }
    }

    private static final class BesideTheUnknown extends Forwarding {

        private volatile boolean asked;

        private BesideTheUnknown(ClusterStore to) {
            super(to);
        }

        @Override
        public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
            asked = true;
            throw new IllegalStateException("it knows no nodes");
        }
    }

    private static final class Away extends Forwarding {

        private Away() {
            super(ClusterStore.inMemory());
        }

        @Override
        public CompletionStage<Answer> exchange(Statement statement) {
            return CompletableFuture.failedStage(new IllegalStateException("it is away"));
        }
    }

    private abstract static class Forwarding implements ClusterStore {

        private final ClusterStore to;

        private Forwarding(ClusterStore to) {
            this.to = to;
        }

        @Override
        public CompletionStage<Answer> exchange(Statement statement) {
            return to.exchange(statement);
        }

        @Override
        public Runnable onHint(Consumer<Hint> listener) {
            return to.onHint(listener);
        }

        @Override
        public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
            return to.look(resource);
        }

        @Override
        public void close() {
            to.close();
        }
    }
}
