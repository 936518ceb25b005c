package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that use what is leased, and one that changes it all the time: never more runs than is leased. */
@Tag("CL60")
@Tag("CL62")
@SuppressWarnings("ThreadPriorityCheck") // yields let others in, nothing relies on it
class LeaseRaceTests {

    private static final String KEY = "shared";
    private static final int CALLERS = 4;
    private static final int CHANGES = Depth.pick(3_000, 30_000, 1_000_000);

    @RegisterExtension
    final Engines engines = new Engines();

    private final Leases leases = new Leases();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong checked = new AtomicLong();
    private final AtomicInteger over = new AtomicInteger();
    private final AtomicBoolean done = new AtomicBoolean();
    /** Odd while the lease is being changed. */
    private final AtomicLong changes = new AtomicLong();

    private volatile int allowed;
    private GroupExecutor executor;

    private String work() {
        long before = changes.get();
        int atOnce = running.incrementAndGet();
        int bound = allowed;
        if (before % 2 == 0 && changes.get() == before) {
            checked.incrementAndGet();
            if (atOnce > bound) {
                over.incrementAndGet();
            }
        }
        begun.incrementAndGet();
        if (ThreadLocalRandom.current().nextInt(4) == 0) {
            Thread.yield();
        }
        running.decrementAndGet();
        ended.incrementAndGet();
        return "done";
    }

    private String use(int number) throws Exception {
        for (int i = 0; !done.get(); i++) {
            switch ((number + i) % 3) {
                case 0 -> executor.call(KEY, this::work);
                case 1 -> executor.call("own-" + number, () -> executor.call(KEY, this::work));
                default -> executor.submit(KEY, "task", this::work).await();
            }
        }
        return "done";
    }

    private static GroupPolicy.Builder policy(int global) {
        return Leases.shared(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(20).globalMaxInFlight(global));
    }

    private void start(int global) {
        executor = engines.startPlain(policy(global).build(), Surroundings.SYSTEM, leases);
        leases.leaseFor(executor);
    }

    private List<Caller<String>> callers() {
        List<Caller<String>> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            int number = i;
            callers.add(Caller.startPlatform(() -> use(number)));
        }
        return callers;
    }

    private void end(List<Caller<String>> callers) throws Exception {
        done.set(true);
        changes.incrementAndGet(); // for good: nobody says what is allowed any more
        leases.lease(KEY, 20);
        leases.count(Duration.ofDays(1));
        for (Caller<String> caller : callers) {
            assertThat(caller.result()).isEqualTo("done");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 3})
    void neverMoreRunsThanIsLeased(int global) throws Exception {
        start(global);
        List<Caller<String>> callers = callers();
        Random random = new Random(Depth.seed());
        for (int i = 0; i < CHANGES; i++) {
            changes.incrementAndGet();
            int capacity = random.nextInt(4);
            allowed = Math.max(capacity, leases.lease(KEY, capacity).out());
            changes.incrementAndGet();
            if (i % 16 == 0) {
                Thread.yield();
            }
        }
        end(callers);

        assertThat(over).hasValue(0);
        assertThat(begun.get()).isPositive();
        assertThat(checked.get()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 3})
    void afterTheDeadlineNothingBeginsButWhatWasOut(int global) throws Exception {
        start(global);
        leases.lease(KEY, 3);
        List<Caller<String>> callers = callers();
        for (int i = 0; i < CHANGES / 3; i++) {
            leases.lapse();
            Lease.Reading reading = leases.lease(KEY, 3);
            long most = ended.get() + reading.out();
            for (int look = 0; look < 10; look++) {
                Thread.yield();
                assertThat(begun.get()).isLessThanOrEqualTo(most);
            }
            long before = begun.get();
            leases.count(Duration.ofDays(1));
            Deadline.until("what waited starts again", () -> begun.get() > before);
        }
        end(callers);
    }

    @Tag("CL42")
    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 3})
    void aSharedLimitThatComesStartsNothingWithoutALeaseAndOneThatGoesNeedsNone(int global) throws Exception {
        start(global);
        GroupPolicy shared = executor.policy();
        GroupPolicy alone = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(20)
                .globalMaxInFlight(global)
                .build();
        executor.updatePolicy(alone);
        List<Caller<String>> callers = callers();
        for (int i = 0; i < CHANGES / 10; i++) {
            // With a lease that doesn't count, or with none.
            int capacity = i % 2 == 0 ? 3 : 0;
            leases.count(capacity == 0 ? Duration.ofDays(1) : Duration.ZERO);
            executor.updatePolicy(shared);
            Lease.Reading reading = leases.lease(KEY, capacity);
            long most = ended.get() + reading.out();
            for (int look = 0; look < 10; look++) {
                Thread.yield();
                assertThat(begun.get()).isLessThanOrEqualTo(most);
            }
            long before = begun.get();
            executor.updatePolicy(alone);
            Deadline.until("what waited starts again", () -> begun.get() > before);
        }
        executor.updatePolicy(shared);
        end(callers);
    }
}
