package io.github.kobe.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** B8p once more: a permit as an object. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PermitBenchmark {

    private final Contestant<?> ours = Entrant.OURS.enter(Limits.perGroup(4));

    @TearDown
    public void close() {
        ours.close();
    }

    @Benchmark
    public void acquireAndClose() throws Exception {
        ours.acquireAndClose("group");
    }
}
