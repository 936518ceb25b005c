package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.scope.Scopes;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a decision costs beside many groups and many offers, told by what it allocates: unlike the time, that is the same
 * on every machine, and whoever looks at many makes something for each or for all.
 */
@Tag("E17")
class DecisionCostTests {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MANY = 500;
    private static final GroupLimits WIDE = GroupLimits.unset().withMaxConcurrency(10 * MANY);

    @RegisterExtension
    final Engines engines = new Engines();

    @Test
    void oneRefusalCostsTheSameBesideManyGroupsWithNestedWaiters() throws Exception {
        assertThat(besideNestedWaiters(MANY)).isLessThan(2 * besideNestedWaiters(1));
    }

    private long besideNestedWaiters(int groups) throws Exception {
        Gate gate = new Gate();
        GroupExecutor executor =
                engines.startPlain(policy(2 * groups + 1).group("request", WIDE).build());
        List<TaskHandle<?>> all = new ArrayList<>();
        for (int i = 0; i < groups; i++) {
            all.add(executor.submit("partner:" + i, "holds", gate.then(i)));
        }
        for (int i = 0; i < groups; i++) {
            String partner = "partner:" + i;
            all.add(executor.submit("request", "asks", () -> executor.call(partner, () -> 0)));
        }
        Deadline.until("all requests wait nested", () -> executor.stats().queued() == groups);
        all.add(executor.submit("other", "takes the last", gate.then(0)));
        all.add(executor.submit("last", "waits for a global permit", gate.then(0)));
        for (int i = 0; i < groups; i++) {
            assertThat(executor.tryAcquire("partner:" + i, Duration.ZERO)).isEmpty(); // so each group knows
        }
        long cost = ofOneRefusal(executor, "unrelated");
        gate.open();
        join(all);
        return cost;
    }

    @Test
    void oneRefusalCostsTheSameBesideAScopeOverManyGroups() throws Exception {
        assertThat(besideAScope(MANY)).isLessThan(2 * besideAScope(1));
    }

    private long besideAScope(int groups) throws Exception {
        Gate gate = new Gate();
        GroupExecutor executor = engines.startPlain(policy(2).build());
        List<TaskHandle<?>> all = new ArrayList<>();
        all.add(executor.submit("other", "holds", gate.then(0)));
        gate.awaitArrived(1);
        all.add(executor.submit("request", "forks", () -> {
            try (var scope = Scopes.of(executor).open()) {
                for (int i = 0; i < groups; i++) {
                    scope.fork("tenant:" + i, gate.then(i));
                }
                scope.join();
            }
            return 0;
        }));
        Deadline.until("the owner has lent", () -> gate.arrived() == 2);
        long cost = ofOneRefusal(executor, "unrelated");
        gate.open();
        join(all);
        return cost;
    }

    @Test
    @Tag("E13")
    void aForkOnItsOwnersPermitCostsTheSameHoweverManyGroupsTheScopeForksInto() throws Exception {
        assertThat(ofForksOnPermitsOfTheirOwners(MANY)).isLessThan(3 * ofForksOnPermitsOfTheirOwners(1));
    }

    /** {@return the bytes that the same number of forks allocates in so many groups, while owners have all global permits} */
    private long ofForksOnPermitsOfTheirOwners(int groups) {
        int owners = 4;
        GroupExecutor executor = engines.startPlain(
                policy(owners).defaultMaxConcurrencyPerGroup(owners).build());
        long before = THREADS.getTotalThreadAllocatedBytes();
        List<TaskHandle<?>> all = new ArrayList<>();
        for (int owner = 0; owner < owners; owner++) {
            all.add(executor.submit("request", "forks", () -> {
                try (var scope = Scopes.of(executor).open()) {
                    for (int i = 0; i < MANY; i++) {
                        scope.fork("tenant:" + i % groups, () -> 0);
                    }
                    scope.join();
                }
                return 0;
            }));
        }
        join(all);
        return THREADS.getTotalThreadAllocatedBytes() - before;
    }

    /** Each start is a decision. If each looked at all offers of the group, this would not end in time. */
    @Test
    @Tag("E13")
    void thousandsOfThreadsThatAwaitWorkOfOneGroupComeToAnEnd() throws Exception {
        int requests = 4_000;
        Gate gate = new Gate();
        GroupExecutor executor = engines.startPlain(policy(requests + 1)
                .group("request", GroupLimits.unset().withMaxConcurrency(requests))
                .build());
        List<TaskHandle<?>> all = new ArrayList<>();
        all.add(executor.submit("database", "holds", gate.then(0)));
        for (int i = 0; i < requests; i++) {
            all.add(executor.submit(
                    "request",
                    "awaits",
                    () -> executor.submit("database", "reads", () -> 1).await().valueOrThrow()));
        }
        Deadline.until("all are queued", () -> executor.stats().queued() == requests);

        gate.open();

        join(all);
    }

    private static GroupPolicy.Builder policy(int global) {
        return GroupPolicy.builder().globalMaxInFlight(global);
    }

    /** {@return the bytes that one refusal allocates, once nothing else changes} */
    private static long ofOneRefusal(GroupExecutor executor, String group) throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 200; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            boolean refused = executor.tryAcquire(group, Duration.ZERO).isEmpty();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            assertThat(refused).isTrue();
        }
        return least;
    }

    private static void join(List<TaskHandle<?>> all) {
        for (TaskHandle<?> handle : all) {
            assertThat(handle.join(Deadline.SECONDS, TimeUnit.SECONDS).status()).isEqualTo(TaskStatus.SUCCESS);
        }
    }
}
