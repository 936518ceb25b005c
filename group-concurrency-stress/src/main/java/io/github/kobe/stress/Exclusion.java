package io.github.kobe.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** One permit, two threads that both count a plain field up while they have it: neither loses the other's count. */
public final class Exclusion {

    private static final String FIRST = "first in, and the other saw its count";
    private static final String REFUSED = "came while the other was in";
    private static final String LOST = "two at once, or a count that was not seen";

    private Exclusion() {}

    /** Compare-and-set against compare-and-set. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = FIRST)
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = REFUSED)
    @Outcome(expect = FORBIDDEN, desc = LOST)
    @State
    public static class FastTryAcquires extends Sample {
        public FastTryAcquires() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void one(II_Result r) {
            r.r1 = tryAcquire();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = tryAcquire();
        }
    }

    /** One that may be refused against one that may have to wait: the group turns slow and fast again. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = FIRST)
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = REFUSED)
    @Outcome(expect = FORBIDDEN, desc = LOST)
    @State
    public static class FastAcquireAndTry extends Sample {
        public FastAcquireAndTry() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void one(II_Result r) {
            r.r1 = acquire();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = tryAcquire();
        }
    }

    /** Whoever comes second waits, and is granted by whoever gives back. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = FIRST)
    @Outcome(expect = FORBIDDEN, desc = LOST)
    @State
    public static class FastCalls extends Sample {
        public FastCalls() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void one(II_Result r) {
            r.r1 = call();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = call();
        }
    }

    /** The second task is started by the first or by its submitter. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = FIRST)
    @Outcome(expect = FORBIDDEN, desc = LOST)
    @State
    public static class FastSubmits extends Sample {
        public FastSubmits() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void one(II_Result r) {
            r.r1 = submit();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = submit();
        }
    }

    /** Concurrency and flight are given back apart. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = FIRST)
    @Outcome(expect = FORBIDDEN, desc = LOST)
    @State
    public static class FastSubmitAsyncs extends Sample {
        public FastSubmitAsyncs() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void one(II_Result r) {
            r.r1 = submitAsync();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = submitAsync();
        }
    }

    /** Between a caller's thread and a fresh one, by the ring. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = FIRST)
    @Outcome(expect = FORBIDDEN, desc = LOST)
    @State
    public static class RingCallAndSubmit extends Sample {
        public RingCallAndSubmit() {
            super(RING);
        }

        @Actor
        public void one(II_Result r) {
            r.r1 = call();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = submit();
        }
    }

    /** Neither thread waits itself. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = FIRST)
    @Outcome(expect = FORBIDDEN, desc = LOST)
    @State
    public static class RingSubmitAsyncAndAcquireAsync extends Sample {
        public RingSubmitAsyncAndAcquireAsync() {
            super(RING);
        }

        @Actor
        public void one(II_Result r) {
            r.r1 = submitAsync();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = acquireAsync();
        }
    }
}
