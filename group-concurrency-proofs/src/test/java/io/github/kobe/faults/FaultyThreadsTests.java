package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.EngineAccess.Surroundings;
import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.FaultyThreads;
import io.github.kobe.audit.FaultyThreads.Fault;
import io.github.kobe.faults.Workload.Route;
import java.util.concurrent.TimeUnit;
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
 * Threads that can't be had, on every route: of the threads that a route asks for, each in turn is a faulty one. After
 * each, the audit, and the executor works.
 */
@Tag("P3")
@Tag("G37")
class FaultyThreadsTests {

    @RegisterExtension
    final Engines engines = new Engines();

    static Stream<Arguments> faultsOnRoutes() {
        return Stream.of(Fault.values())
                .flatMap(fault -> Stream.of(Route.values()).map(route -> arguments(fault, route)));
    }

    /** A clock on which 1 ms passes with each reading: so nearly every successor starts by way of the engine's thread. */
    private static LongSupplier hastyClock() {
        AtomicLong now = new AtomicLong();
        return () -> now.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    }

    @ParameterizedTest(name = "{1}: {0}")
    @MethodSource("faultsOnRoutes")
    void onEachRouteEachThreadMayBeFaulty(Fault fault, Route route) throws Exception {
        for (int n = 1, asked = n; n <= asked; n++) {
            int faulty = n;
            asked = drive(new FaultyThreads(fault, number -> number == faulty), System::nanoTime, route, 1);
        }
    }

    @ParameterizedTest(name = "{0}: each other one, and the engine''s thread starts the rest")
    @EnumSource(Route.class)
    void onEachRouteEachOtherThreadMayBeFaulty(Route route) throws Exception {
        drive(
                new FaultyThreads(Fault.STARTING_IT_THROWS, number -> number % 2 == 0),
                hastyClock(),
                route,
                Integer.MAX_VALUE);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Route.class)
    void onEachRouteAllThreadsMayBeFaulty(Route route) throws Exception {
        drive(new FaultyThreads(Fault.THERE_IS_NONE, number -> true), System::nanoTime, route, Integer.MAX_VALUE);
    }

    private int drive(FaultyThreads threads, LongSupplier clock, Route route, int mostFailures) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build(), new Surroundings(clock, threads, true));
        Workload workload = new Workload(engines, executor);
        workload.take(route);
        assertThat(workload.handles())
                .filteredOn(handle -> handle.join().status() == TaskStatus.FAILED)
                .hasSizeLessThanOrEqualTo(mostFailures);
        int asked = threads.asked();
        threads.heal();
        if (!route.isLast()) {
            Workload.requireWorking(executor);
        }
        engines.audit(executor);
        engines.withoutAudit(executor); // once is enough
        executor.shutdown();
        return asked;
    }
}
