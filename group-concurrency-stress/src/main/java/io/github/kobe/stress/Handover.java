package io.github.kobe.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Giving back a permit happens-before the start or the grant that takes it. The permit is out from the beginning; one
 * thread writes and gives it back, the other comes for it before, at, or after that moment. What a way in returns is one
 * more than what it found: 2 when the giver's write was seen.
 */
public final class Handover {

    private static final String SEEN = "the taker sees what the giver wrote before";
    private static final String REFUSED = "came before the permit was back";
    private static final String UNSEEN = "the permit, but not the write before it";

    private Handover() {}

    /** A sample whose only permit is out. */
    abstract static class Taken extends Sample {
        private final GroupPermit permit;

        Taken(GroupPolicy policy) {
            super(policy);
            permit = take(GROUP);
        }

        final void writeAndGiveBack() {
            plain = 1;
            permit.close();
        }
    }

    /** Given back and taken by one compare-and-set each. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(id = "0", expect = ACCEPTABLE, desc = REFUSED)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class FastToTryAcquire extends Taken {
        public FastToTryAcquire() {
            super(FAST);
        }

        @Actor
        public void giver() {
            writeAndGiveBack();
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = tryAcquire();
        }
    }

    /** As acquire, with code under it. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class FastToCall extends Taken {
        public FastToCall() {
            super(FAST);
        }

        @Actor
        public void giver() {
            writeAndGiveBack();
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = call();
        }
    }

    /** Granted by the giver, completed on a fresh thread. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class FastToAcquireAsync extends Taken {
        public FastToAcquireAsync() {
            super(FAST);
        }

        @Actor
        public void giver() {
            writeAndGiveBack();
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = acquireAsync();
        }
    }

    /** The task is started by the giver, not by who submitted it. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class FastToSubmit extends Taken {
        public FastToSubmit() {
            super(FAST);
        }

        @Actor
        public void giver() {
            writeAndGiveBack();
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = submit();
        }
    }

    /** The global permit, granted to a thread that waits. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class RingToAcquire extends Taken {
        public RingToAcquire() {
            super(RING);
        }

        @Actor
        public void giver() {
            writeAndGiveBack();
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = acquire();
        }
    }

    /** The task is started by the giver in its group's turn. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class RingToSubmit extends Taken {
        public RingToSubmit() {
            super(RING);
        }

        @Actor
        public void giver() {
            writeAndGiveBack();
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = submit();
        }
    }

    /** The permit of concurrency of an asynchronous task comes back when its callable has returned, its stage open. */
    @JCStressTest
    @Outcome(id = "3", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class FromReturnedCallable extends Sample {
        public FromReturnedCallable() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void giver() {
            executor.submitAsync(GROUP, "open", () -> {
                plain++;
                return new CompletableFuture<>();
            });
        }

        @Actor
        public void other() {
            call();
        }

        @Arbiter
        public void last(I_Result r) {
            r.r1 = call();
        }
    }

    /** The permit of flight comes back when the stage completes, on the thread that completes it. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class FromCompletedStage extends Sample {
        private final CompletableFuture<String> stage = new CompletableFuture<>();

        public FromCompletedStage() {
            super(ONE_IN_FLIGHT);
            executor.submitAsync(GROUP, "open", () -> stage);
        }

        @Actor
        public void giver() {
            plain = 1;
            stage.complete("done");
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = submit();
        }
    }

    /** A task of a group of one permit lends it to the task that it waits for, and goes on when that has ended. */
    @JCStressTest
    @Outcome(id = "4", expect = ACCEPTABLE, desc = "lender, borrower and the next task see each other's counts")
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class Lent extends Sample {
        public Lent() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void lender() {
            executor.submit(GROUP, "lender", () -> {
                        plain++;
                        submit();
                        return plain++;
                    })
                    .join();
        }

        @Actor
        public void other() {
            submit();
        }

        @Arbiter
        public void last(I_Result r) {
            r.r1 = plain;
        }
    }
}
