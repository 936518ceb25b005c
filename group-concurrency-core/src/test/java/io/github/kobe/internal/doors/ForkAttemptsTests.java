package io.github.kobe.internal.doors;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.work.Fork;
import io.github.kobe.internal.work.ForkTask;
import io.github.kobe.internal.work.Outcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which of its attempts a fork knows when two threads submit one after the other: a cancel looks for that one. */
class ForkAttemptsTests {

    /** Not for the audit: what isn't submitted ends. */
    private final GroupExecutor executor =
            GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());

    private final Engine engine = EngineAccess.engine(executor);
    private final Retried fork = new Retried();

    @AfterEach
    void close() {
        executor.close();
    }

    private ForkTask attempt(String id) {
        Group group = engine.group("a");
        Callable<String> code = () -> id;
        return new ForkTask(group, id, code, null, fork);
    }

    /** It never began: it is rejected, say, as long as its submitter has no processor. */
    private static void endUnrun(ForkTask attempt) {
        attempt.claimQueued();
        attempt.reportAndComplete(Outcome.LazyResult.CANCELLED);
    }

    @Test
    void anAttemptThatIsOverIsNotTakenForTheNextOneWhoeverComesLast() {
        ForkTask first = attempt("1");
        ForkTask second = attempt("2");
        @Nullable ForkTask beforeFirst = fork.task();
        fork.whenOver.add(
                () -> { // another thread goes on, and the first submitter comes late
                    @Nullable ForkTask beforeSecond = fork.task();
                    fork.admitted(beforeFirst, first);
                    fork.admitted(beforeSecond, second);
                });

        endUnrun(first);

        assertThat(fork.task()).isSameAs(second);
    }

    @Test
    void theSubmitterOfAnAttemptThatIsOverChangesNothingAfterTheNextOneIsKnown() {
        ForkTask first = attempt("1");
        ForkTask second = attempt("2");
        @Nullable ForkTask beforeFirst = fork.task();
        fork.whenOver.add(() -> fork.admitted(fork.task(), second));

        endUnrun(first);
        fork.admitted(beforeFirst, first);

        assertThat(fork.task()).isSameAs(second);
    }

    @Test
    void theForkHearsOfTheEndOnceAndItsTaskKeepsNothingOfThat() {
        ForkTask attempt = attempt("1");
        fork.whenOver.add(() -> {});

        endUnrun(attempt);

        assertThat(fork.timesOver).isEqualTo(1);
        assertThat(attempt.isDone()).isFalse();
    }

    @Test
    void theForkHearsOfTheEndThoughThereIsNoMemoryToSayWhy() {
        OutOfMemoryError lack = new OutOfMemoryError("as the test wants it");
        fork.lack = lack;
        fork.whenOver.add(() -> {});

        endUnrun(attempt("1"));

        assertThat(fork.timesOver).isEqualTo(1);
        assertThat(fork.unrun).isSameAs(lack);
    }

    private static final class Retried extends Fork {

        private final Deque<Runnable> whenOver = new ArrayDeque<>();
        private int timesOver;
        private @Nullable Throwable unrun;

        /** What asking for its name throws. */
        private @Nullable OutOfMemoryError lack;

        @Override
        public Lineage scope() {
            throw new AssertionError("It isn't run");
        }

        @Override
        public String name() {
            if (lack != null) {
                throw lack;
            }
            return "retried";
        }

        @Override
        public boolean isRunOfSchedule() {
            return false;
        }

        @Override
        protected boolean begin() {
            throw new AssertionError("It isn't run");
        }

        @Override
        protected void ran(@Nullable Object value, @Nullable Throwable failure, long nanos, boolean stopped) {
            throw new AssertionError("It isn't run");
        }

        @Override
        protected boolean isDecided() {
            return false;
        }

        @Override
        protected void over(@Nullable Throwable why) {
            timesOver++;
            unrun = why;
            whenOver.remove().run();
        }
    }
}
