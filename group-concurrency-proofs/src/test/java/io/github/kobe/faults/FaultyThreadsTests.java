package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.FaultyThreads;
import io.github.kobe.audit.FaultyThreads.Fault;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Depth;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads that can't be had, on every way: of the threads that a way asks for, each in turn is a faulty one. After each,
 * the audit, and the executor works.
 */
@Tag("P3")
@Tag("G37")
class FaultyThreadsTests {

    private static final int ALL = Fault.values().length;

    private static final int REPORTS_WITHOUT_A_THREAD = 5;

    @RegisterExtension
    final Engines engines = new Engines();

    static Stream<Arguments> faultsOnWays() {
        return Stream.of(Ways.values())
                .flatMap(way -> Stream.of(Fault.values())
                        .limit(asksLikeOthers(way) ? Depth.pick(1, ALL, ALL) : Depth.pick(2, ALL, ALL))
                        .map(fault -> arguments(fault, way)));
    }

    /** A thread that waits asks for no other threads than one that doesn't. */
    private static boolean asksLikeOthers(Ways way) {
        return way.is(Ways.Trait.WAITS) && way != Ways.EXECUTE_ALL && way != Ways.DRAIN;
    }

    /** A clock on which 1 ms passes with each reading: so nearly every successor starts by way of the engine's thread. */
    private static LongSupplier hastyClock() {
        AtomicLong now = new AtomicLong();
        return () -> now.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    }

    @ParameterizedTest(name = "{1}: {0}")
    @MethodSource("faultsOnWays")
    void onEachWayEachThreadMayBeFaulty(Fault fault, Ways way) throws Exception {
        for (int n = 1, asked = n; n <= asked; n++) {
            int faulty = n;
            asked = drive(new FaultyThreads(fault, number -> number == faulty), System::nanoTime, way, 1);
        }
    }

    @ParameterizedTest(name = "{0}: each other one, and the engine''s thread starts the rest")
    @EnumSource(Ways.class)
    void onEachWayEachOtherThreadMayBeFaulty(Ways way) throws Exception {
        drive(
                new FaultyThreads(Fault.STARTING_IT_THROWS, number -> number % 2 == 0),
                hastyClock(),
                way,
                Integer.MAX_VALUE);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Ways.class)
    void onEachWayAllThreadsMayBeFaulty(Ways way) throws Exception {
        FaultyThreads threads = new FaultyThreads(Fault.THERE_IS_NONE, number -> true);
        AtomicInteger reports = new AtomicInteger();
        // What user code has to hear waits for a thread, so there are some for that in the end.
        TaskThreads recovering = (name, work) ->
                name.equals("group-concurrency-report") && reports.incrementAndGet() > REPORTS_WITHOUT_A_THREAD
                        ? TaskThreads.VIRTUAL.unstarted(name, work)
                        : threads.unstarted(name, work);
        drive(threads, recovering, System::nanoTime, way, Integer.MAX_VALUE);
    }

    private int drive(FaultyThreads threads, LongSupplier clock, Ways way, int mostFailures) throws Exception {
        return drive(threads, threads, clock, way, mostFailures);
    }

    private int drive(FaultyThreads threads, TaskThreads given, LongSupplier clock, Ways way, int mostFailures)
            throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build(), new Surroundings(clock, given, true));
        Workload workload = new Workload(engines, executor);
        workload.take(way);
        assertThat(workload.handles())
                .filteredOn(handle -> handle.join().status() == TaskStatus.FAILED)
                .hasSizeLessThanOrEqualTo(mostFailures);
        int asked = threads.asked();
        threads.heal();
        if (!way.is(Ways.Trait.LAST)) {
            Workload.requireWorking(executor);
        }
        engines.audit(executor);
        engines.withoutAudit(executor); // once is enough
        executor.shutdown();
        return asked;
    }
}
