package io.github.kobe.benchmarks;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** B8 and B8c once more, each contestant in a JVM of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // by the set-up
public class CallBenchmark {

    private final List<String> groups = Keys.of("group-", 64);

    @Param({"OURS", "SEMAPHORE", "RESILIENCE4J", "FAILSAFE", "NETFLIX", "SPRING"})
    private String contestant;

    private Contestant<?> limiter;

    /** The key whose turn it is. */
    @State(Scope.Thread)
    public static class Turn {
        private int next;
    }

    @Setup
    public void enter() {
        limiter = Entrant.valueOf(contestant).enter(Limits.perGroup(4).inTurn());
    }

    @TearDown
    public void close() {
        limiter.close();
    }

    @Benchmark
    public Integer uncontended(Turn turn) throws Exception {
        return limiter.call(groups.get(turn.next++ & 63), Workload.NOTHING);
    }

    /** By platform threads, whose waking up is the greater part of it. */
    @Benchmark
    @Threads(64)
    public Integer contended() throws Exception {
        return limiter.call("group", Workload.NOTHING);
    }
}
