package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A limit over all instances comes, changes and goes while its group lives. */
@Tag("CL42")
class LeasePolicyTests {

    private static final String KEY = "shared";

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Leases leases = new Leases();
    private final Gate gate = new Gate();
    private final AtomicInteger said = new AtomicInteger(Integer.MAX_VALUE);
    private GroupExecutor executor;

    private GroupPolicy.Builder alone() {
        return GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(10)
                .limitsResolver(key -> Optional.of(GroupLimits.unset().withClusterMaxInFlight(said.get())));
    }

    /** The limit is the default: the resolver, which says that there is none, is not asked in this policy. */
    private GroupPolicy.Builder shared(int limit) {
        return alone().limitsResolver(null).defaultClusterMaxInFlightPerGroup(limit);
    }

    private void update(GroupPolicy.Builder policy) {
        executor.updatePolicy(engines.witnessed(executor, policy.build()));
    }

    @BeforeEach
    void start() {
        executor = engines.start(alone().build(), clock.environment(), leases);
        leases.leaseFor(executor);
    }

    private List<TaskHandle<String>> submit(int count) {
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            handles.add(executor.submit(KEY, "task", gate.then("done")));
        }
        return handles;
    }

    private static void awaitAll(List<TaskHandle<String>> handles) throws Exception {
        for (TaskHandle<String> handle : handles) {
            assertThat(Deadline.within(handle::await).value()).isEqualTo("done");
        }
    }

    private Group group() {
        return EngineAccess.engine(executor).group(KEY);
    }

    private boolean takesFast() {
        boolean taken = group().tryTakeFast(group().home) != Group.NOT_TAKEN;
        if (taken) {
            group().release(0, group().home);
        }
        return taken;
    }

    private void useOnce() throws Exception {
        assertThat(Deadline.within(() -> executor.call(KEY, () -> "done"))).isEqualTo("done");
        assertThat(group().isSlow()).isFalse();
    }

    private void assertTold() {
        assertThat(leases.touched()).containsExactly(KEY);
    }

    // ---- it comes

    @Test
    void whatRunsWhenALimitComesGoesOnAndIsToldAndNothingElseStarts() throws Exception {
        List<TaskHandle<String>> running = submit(3);
        gate.awaitArrived(3);
        assertThat(leases.touched()).isEmpty();

        update(shared(5));
        List<TaskHandle<String>> waiting = submit(2);

        assertTold();
        assertThat(group().isClustered()).isTrue();
        assertThat(leases.lease(KEY, 0)).isEqualTo(new Lease.Reading(3, 2, 0, false));
        assertThat(leases.lease(KEY, 4)).isEqualTo(new Lease.Reading(4, 1, 0, false));
        gate.open();
        awaitAll(running);
        awaitAll(waiting);
    }

    @Test
    void theSurplusOfALimitThatComesDrains() throws Exception {
        Gate first = new Gate();
        TaskHandle<String> ending = executor.submit(KEY, "task", first.then("done"));
        List<TaskHandle<String>> running = submit(2);
        gate.awaitArrived(2);
        update(shared(5));
        leases.lease(KEY, 1);
        assertThat(leases.touched()).containsExactly(KEY);

        first.open();
        awaitAll(List.of(ending));
        Deadline.until("the permit is back", () -> group().inFlight() == 2);

        assertThat(group().isSlow()).isTrue();
        assertTold();
        assertThat(takesFast()).isFalse();
        gate.open();
        awaitAll(running);
    }

    @Test
    void aFastGroupTakesNothingOnceALimitHasCome() throws Exception {
        useOnce();
        assertThat(takesFast()).isTrue();

        update(shared(5));
        assertThat(takesFast()).isFalse();

        leases.lease(KEY, 1);
        assertThat(group().isSlow()).isFalse();
        assertThat(takesFast()).isTrue();
    }

    @Test
    void theDeadlineHoldsForAGroupThatWasThereBefore() throws Exception {
        useOnce();
        update(shared(5));
        leases.lease(KEY, 3);
        leases.count(Duration.ofSeconds(11));
        assertThat(takesFast()).isTrue();

        clock.advance(Duration.ofSeconds(11));

        assertThat(group().isSlow()).isFalse();
        assertThat(takesFast()).isFalse();
        List<TaskHandle<String>> waiting = submit(1);
        assertThat(group().queued()).isEqualTo(1);
        gate.open();
        leases.count(Duration.ofSeconds(11));
        awaitAll(waiting);
    }

    @Test
    void aLimitsResolverBringsOneAndTakesItAway() throws Exception {
        useOnce();
        said.set(20);
        executor.limitsChanged(KEY);

        assertTold();
        assertThat(takesFast()).isFalse();
        assertThat(leases.lease(KEY, 2).out()).isZero();
        assertThat(takesFast()).isTrue();

        said.set(Integer.MAX_VALUE);
        executor.limitsChanged(KEY);
        assertTold();
        assertThat(group().isClustered()).isFalse();
    }

    @Test
    void aLimitComesToAGroupThatIsPausedAndOverridden() throws Exception {
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(2));
        executor.pause(KEY);
        List<TaskHandle<String>> waiting = submit(3);
        update(shared(5));
        leases.lease(KEY, 5);
        assertThat(group().inFlight()).isZero();

        executor.resume(KEY);
        assertThat(group().inFlight()).isEqualTo(2);
        executor.resetLimits(KEY);
        assertThat(group().inFlight()).isEqualTo(3);
        gate.open();
        awaitAll(waiting);
    }

    // ---- it changes

    @Test
    void anotherNumberIsToldAndWhatIsLeasedStays() throws Exception {
        update(shared(5));
        useOnceWithALease();

        update(shared(6));
        assertTold();
        assertThat(group().limits().clusterMaxInFlight().value()).isEqualTo(6);
        assertThat(group().limits().leased()).isEqualTo(2);

        leases.lease(KEY, 2);
        update(shared(6));
        assertThat(leases.touched()).isEmpty();
    }

    @Test
    void aSmallerNumberIsInForceBeforeThoseWhoLeaseHaveLooked() throws Exception {
        update(shared(5));
        leases.lease(KEY, 5);
        List<TaskHandle<String>> running = submit(3);
        gate.awaitArrived(3);

        update(shared(3));
        List<TaskHandle<String>> waiting = submit(2);
        assertThat(group().inFlight()).isEqualTo(3);
        leases.lease(KEY, 5);
        assertThat(group().inFlight()).isEqualTo(3);

        update(shared(5));
        assertThat(group().inFlight()).as("leased are those that were in force").isEqualTo(3);
        leases.lease(KEY, 5);
        assertThat(group().inFlight()).isEqualTo(5);
        gate.open();
        awaitAll(running);
        awaitAll(waiting);
    }

    private void useOnceWithALease() throws Exception {
        leases.lease(KEY, 2);
        useOnce();
        leases.lease(KEY, 2);
        leases.touched();
    }

    // ---- it goes

    @Test
    void whatWaitsStartsWithoutALeaseOnceTheLimitHasGone() throws Exception {
        update(shared(5));
        leases.lease(KEY, 1);
        List<TaskHandle<String>> handles = submit(3);
        assertTold();
        leases.lease(KEY, 1);
        leases.lapse();
        assertThat(group().inFlight()).isEqualTo(1);

        update(alone());

        assertThat(group().inFlight()).isEqualTo(3);
        assertThat(group().isClustered()).isFalse();
        assertTold();
        assertThat(group().lease(0)).as("it can have none").isNull();
        assertThat(group().inFlight()).isEqualTo(3);
        gate.open();
        awaitAll(handles);
        useOnce();
        assertThat(takesFast()).isTrue();
        assertThat(leases.touched()).isEmpty();
    }

    @Test
    void aLimitThatGoesBeforeItsGroupWasLookedAtIsToldOnce() {
        update(shared(5));
        group();
        update(shared(6));
        update(alone());

        assertTold();
    }

    @Test
    void aLimitThatComesBackBeginsWithNothing() throws Exception {
        update(shared(5));
        useOnceWithALease();
        update(alone());
        leases.touched();

        update(shared(5));

        assertTold();
        assertThat(group().limits().leased()).isZero();
        assertThat(takesFast()).isFalse();
    }

    @Test
    void aGroupThatHadToGiveBackFirstIsForgottenOnceItsLimitHasGone() throws Exception {
        update(shared(5));
        useOnceWithALease();
        executor.evictGroup(KEY);
        assertThat(executor.groupKeys()).containsExactly(KEY);

        update(alone().maxIdleGroups(0));

        Deadline.until("forgotten", () -> executor.groupKeys().isEmpty());
    }

    @Test
    void anEvictedGroupGoesByThePolicyInForce() throws Exception {
        update(shared(5));
        leases.lease(KEY, 2);
        List<TaskHandle<String>> running = submit(2);
        gate.awaitArrived(2);

        executor.evictGroup(KEY);

        assertThat(leases.lease(KEY, 2)).isEqualTo(new Lease.Reading(2, 0, 0, false));
        gate.open();
        awaitAll(running);
    }
}
