package io.github.kobe.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** B1 once more, each contestant in a JVM of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // by the set-up
public class SubmitBenchmark {

    private static final int TASKS = 10_000;

    private final Pipelined work = Workloads.submits(1, TASKS);

    @Param({"OURS", "RAW", "SEMAPHORE", "PARKED", "QUEUE", "RESILIENCE4J", "FAILSAFE", "NETFLIX", "SPRING"})
    private String contestant;

    private Contestant<?> executor;

    @Setup
    public void enter() {
        executor = Entrant.valueOf(contestant).enter(work.limits());
    }

    @TearDown
    public void close() {
        executor.close();
    }

    @Benchmark
    @OperationsPerInvocation(TASKS)
    public double pipelined() throws Exception {
        return work.run(executor);
    }
}
