package io.github.kobe.benchmarks;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** B8 and B8c once more, each contestant in a JVM of its own. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CallBenchmark {

    /** A contestant with limit 4 for each group. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // by the set-up
    public static class Limiters {

        @Param({"OURS", "SEMAPHORE", "RESILIENCE4J", "FAILSAFE", "NETFLIX", "SPRING"})
        private String contestant;

        private Contestant<?> limiter;

        Limits limits() {
            return Limits.perGroup(ContendedCalls.LIMIT);
        }

        Integer call(String group, Callable<Integer> task) throws Exception {
            return limiter.call(group, task);
        }

        @Setup
        public void enter() {
            limiter = Entrant.valueOf(contestant).enter(limits());
        }

        @TearDown
        public void close() {
            limiter.close();
        }
    }

    /** The same, first come first served where that can be had. */
    @State(Scope.Benchmark)
    public static class FairLimiters extends Limiters {

        @Override
        Limits limits() {
            return super.limits().inTurn();
        }
    }

    /** The keys, and whose turn it is. */
    @State(Scope.Thread)
    public static class Turn {
        private final List<String> groups = Keys.of("group-", 64);
        private int next;

        String next() {
            return groups.get(next++ & 63);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // so that the permits are taken while others come
    private static final Callable<Integer> YIELDING = () -> {
        Thread.yield();
        return 1;
    };

    @Benchmark
    public Integer uncontended(Limiters limiters, Turn turn) throws Exception {
        return limiters.call(turn.next(), Workload.NOTHING);
    }

    /** By virtual threads. The time is that of a call in each of the 64: 64 times as long as from one end to the next. */
    @Benchmark
    @Threads(ContendedCalls.THREADS)
    @Fork(jvmArgsAppend = "-Djmh.executor=VIRTUAL")
    public Integer contended(FairLimiters limiters) throws Exception {
        return limiters.call("group", YIELDING);
    }
}
