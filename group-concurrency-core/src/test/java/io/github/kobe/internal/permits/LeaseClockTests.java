package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often a start reads the clock, where several instances share a limit and where they don't. */
@Tag("CL62")
class LeaseClockTests {

    private static final String SHARED = "shared";
    private static final String OWN = "own";

    /** Has the time of all work taken. */
    private static final GroupRecorder TIMER = new GroupRecorder() {
        @Override
        public void completed(TaskStatus status, long nanos) {
            assertThat(nanos).isPositive();
        }
    };

    @RegisterExtension
    final Engines engines = new Engines();

    private final Leases leases = new Leases();
    private final AtomicLong readings = new AtomicLong();
    private GroupExecutor executor;

    private void start(boolean timed) throws Exception {
        GroupPolicy.Builder policy = Leases.shared(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        if (timed) {
            policy.recorderFactory((key, rule) -> TIMER);
        }
        LongSupplier clock = readings::incrementAndGet;
        executor = engines.startPlain(policy.build(), new Surroundings(clock, TaskThreads.VIRTUAL, false), leases);
        leases.leaseFor(executor);
        leases.lease(SHARED, 1);
        for (String key : List.of(SHARED, OWN, "outer")) {
            executor.call(key, () -> "done");
            assertThat(EngineAccess.engine(executor).group(key).isSlow()).isFalse();
        }
    }

    private long readingsOf(Callable<?> deed) throws Exception {
        long before = readings.get();
        Object unused = Deadline.within(deed);
        return readings.get() - before;
    }

    private long readingsOfCall(String key) throws Exception {
        return readingsOf(() -> executor.call(key, () -> "done"));
    }

    private long readingsOfCallInside(String key) throws Exception {
        return readingsOf(() -> executor.call("outer", () -> executor.call(key, () -> "done")));
    }

    private long readingsOfPermit(String key) throws Exception {
        return readingsOf(() -> {
            executor.acquire(key).close();
            return "done";
        });
    }

    private long readingsOfFuturePermit(String key) throws Exception {
        return readingsOf(() -> {
            executor.acquireAsync(key).toCompletableFuture().join().close();
            return "done";
        });
    }

    private long readingsOfPermitUnder(String key) throws Exception {
        try (GroupPermit outer = executor.acquire("outer")) {
            return readingsOf(() -> {
                outer.acquireAsync(key).toCompletableFuture().join().close();
                return "done";
            });
        }
    }

    /** One runs, then those that wait, one after the other. */
    private long readingsOfTasks(String key, int waiting) throws Exception {
        return readingsOf(() -> {
            Gate gate = new Gate();
            List<TaskHandle<String>> handles = new ArrayList<>();
            handles.add(executor.submit(key, "first", gate.then("done")));
            gate.awaitArrived(1);
            for (int i = 0; i < waiting; i++) {
                handles.add(executor.submit(key, "waits", () -> "done"));
            }
            gate.open();
            for (TaskHandle<String> handle : handles) {
                handle.await();
            }
            return "done";
        });
    }

    @Test
    void whereTimeIsTakenTheLeaseIsLookedAtByTheSameReading() throws Exception {
        start(true);

        assertThat(readingsOfCall(OWN)).isEqualTo(2);
        assertThat(readingsOfCall(SHARED)).isEqualTo(2);
        assertThat(readingsOfCallInside(SHARED)).isEqualTo(readingsOfCallInside(OWN));
        assertThat(readingsOfPermit(SHARED)).isEqualTo(readingsOfPermit(OWN));
        assertThat(readingsOfFuturePermit(SHARED)).isEqualTo(readingsOfFuturePermit(OWN));
        assertThat(readingsOfPermitUnder(SHARED)).isEqualTo(readingsOfPermitUnder(OWN));
    }

    @Test
    void whereNoTimeIsTakenTheClockIsReadForTheLeaseAlone() throws Exception {
        start(false);

        assertThat(readingsOfCall(OWN)).isZero();
        assertThat(readingsOfCall(SHARED)).isEqualTo(1);
        assertThat(readingsOfCallInside(OWN)).isZero();
        assertThat(readingsOfCallInside(SHARED)).isEqualTo(1);
        assertThat(readingsOfPermit(OWN)).isZero();
        assertThat(readingsOfPermit(SHARED)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoPassesAPermitOnReadsTheClockForTheLease(boolean timed) throws Exception {
        start(timed);

        long tenOfItsOwn = readingsOfTasks(OWN, 12) - readingsOfTasks(OWN, 2);
        assertThat(readingsOfTasks(SHARED, 12) - readingsOfTasks(SHARED, 2)).isEqualTo(tenOfItsOwn + 10);
    }
}
