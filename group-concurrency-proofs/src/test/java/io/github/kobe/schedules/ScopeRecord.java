package io.github.kobe.schedules;

import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.ScopeTotals;
import io.github.kobe.scope.Subtask;
import io.github.kobe.scope.Subtask.Phase;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What became of one scope in a {@link Simulation}: its joiner, the code of its forks, and what its owner was told. */
final class ScopeRecord implements Joiner<Object, String, RuntimeException> {

    /** What the joiner does otherwise than others. */
    private static final int CANCELS_AT_A_FAILURE = 0;

    private static final int CANCELS_AT_A_SUCCESS = 1;
    private static final int THROWS = 2;

    private final Simulation simulation;
    private final int kind;
    private final boolean inFork;
    private final List<Subtask<Object>> forked = new ArrayList<>();
    private final IdentityHashMap<Subtask<Object>, Integer> completed = new IdentityHashMap<>();
    private final List<String> outcomes = new ArrayList<>();
    private GroupScope<Object, String, RuntimeException> scope;
    private Thread owner;
    private boolean broken;
    /** How many may cancel it, beside its time. */
    private int cancellers;

    private boolean timed;
    private boolean forkMayBeCut;
    private boolean cancelReturned;
    private boolean closed;
    private int inside;
    private int deferred;
    private int cleanedUp;

    /**
     * Makes one for a scope to come.
     *
     * @param kind what its joiner does, of a dozen
     * @param inFork whether its owner runs a fork
     */
    ScopeRecord(Simulation simulation, int kind, boolean inFork) {
        this.simulation = simulation;
        this.kind = kind;
        this.inFork = inFork;
        this.cancellers = kind > THROWS ? 0 : 1;
    }

    void opened(GroupScope<Object, String, RuntimeException> opened) {
        scope = opened;
        owner = Thread.currentThread();
    }

    // ---------------------------------------------------------------- its joiner

    @Override
    public boolean onFork(Subtask<Object> subtask) {
        forked.add(subtask);
        return false;
    }

    @Override
    public boolean onComplete(Subtask<Object> subtask) {
        completed.merge(subtask, 1, Integer::sum);
        Simulation.point("onComplete");
        if (kind == THROWS) {
            broken = true;
            throw new UnsupportedOperationException("the joiner fails");
        }
        return switch (subtask.state()) {
            case SUCCESS -> kind == CANCELS_AT_A_SUCCESS && subtask.get() != null;
            case FAILED -> kind == CANCELS_AT_A_FAILURE && subtask.exception() != null;
            case UNAVAILABLE -> {
                simulation.fail("told of what has no end: " + subtask, null);
                yield false;
            }
        };
    }

    @Override
    public String result() {
        return outcome("result");
    }

    @Override
    public String timeout() {
        return outcome("timeout");
    }

    private String outcome(String what) {
        outcomes.add(what);
        if (!Thread.currentThread().equals(owner)) {
            simulation.fail("the joiner was asked by " + Thread.currentThread(), null);
        }
        // The joiner has heard of all that it will hear of.
        for (Subtask<Object> fork : List.copyOf(forked)) { // subtasks of a cancelled scope may fork meanwhile
            if (fork.state() != Subtask.State.UNAVAILABLE && completed.getOrDefault(fork, 0) != 1) {
                simulation.fail("the outcome came before its joiner had heard of " + fork, null);
            }
            if (fork.phase() != Phase.CANCELLED && fork.state() == Subtask.State.UNAVAILABLE) {
                simulation.fail("the outcome came before the end of " + fork, null);
            }
        }
        return what;
    }

    // ---------------------------------------------------------------- its forks

    /** The code of a fork. */
    Body body(Callable<?> work) {
        return new Body(work);
    }

    /** Counts who is inside, and looks whether it may be. */
    final class Body implements Callable<Object> {

        private final Callable<?> work;

        private Body(Callable<?> work) {
            this.work = work;
        }

        @Override
        public Object call() throws Exception {
            if (closed) {
                simulation.fail("a fork began after close", null);
            }
            if (cancelReturned
                    && cancellers == 1
                    && !timed
                    && !inFork
                    && !Thread.currentThread().isInterrupted()) {
                simulation.fail("a fork began after the cancel, and isn't interrupted", null);
            }
            inside++;
            try {
                return work.call();
            } finally {
                inside--;
            }
        }
    }

    /** Something beside its time may cancel it. */
    void mayBeCancelled() {
        cancellers++;
    }

    /** One of its forks may be cancelled alone. */
    void forkMayBeCut() {
        forkMayBeCut = true;
    }

    /** It has a time-out. */
    void timed() {
        timed = true;
    }

    /** Its token has cancelled it, unless it was cancelled before: then somebody else may still be at it. */
    void cancelReturned() {
        cancelReturned = true;
    }

    /** Code of a schedule. */
    void ranScheduled() {
        if (closed) {
            simulation.fail("a scheduled fork ran after close", null);
        }
    }

    /** What is deferred, and is to run once. */
    Runnable cleanUp() {
        deferred++;
        return () -> {
            cleanedUp++;
            if (inside > 0 || !Thread.currentThread().equals(owner)) {
                simulation.fail("a clean-up ran beside a fork, or not on its owner", null);
            }
        };
    }

    // ---------------------------------------------------------------- its owner

    /** A wait that may end in each way that the scope may. */
    interface Wait {
        @Nullable
        Object end() throws InterruptedException;
    }

    void await(Wait wait) {
        try {
            wait.end();
        } catch (InterruptedException cut) {
            expectCancelled();
        } catch (IllegalStateException failed) {
            expectBroken(failed);
        }
    }

    /** Joins, again if that is interrupted, and then expects one outcome. */
    void join(Wait wait) {
        for (int attempt = 1; attempt <= 2; attempt++) {
            try {
                Object told = wait.end();
                if (!outcomes.equals(List.of(String.valueOf(told))) || broken) {
                    simulation.fail("join gave " + told + ", of " + outcomes + ", broken: " + broken, null);
                }
                expectJoinedForGood();
                return;
            } catch (InterruptedException cut) {
                expectCancelled(); // an owner whose own fork is cancelled never gets anything else
            } catch (IllegalStateException failed) {
                expectBroken(failed);
                return;
            }
        }
    }

    private void expectCancelled() {
        // An owner's own fork may be cancelled alone, which comes to the scope that it has open an instant later.
        if (!scope.isCancelled() && !inFork) {
            simulation.fail("its owner was interrupted, and it isn't cancelled", null);
        }
    }

    private void expectBroken(IllegalStateException failed) {
        if (!broken || !(failed.getCause() instanceof UnsupportedOperationException) || !outcomes.isEmpty()) {
            simulation.fail("join failed", failed);
        }
    }

    private void expectJoinedForGood() {
        try {
            String second = scope.join();
            simulation.fail("a second join gave " + second, null);
        } catch (IllegalStateException joined) {
            Simulation.point("joined once");
        } catch (InterruptedException never) {
            simulation.fail("a second join waited", never);
        }
    }

    void closed() {
        closed = true;
        if (inside > 0) {
            simulation.fail("close didn't wait for " + inside, null);
        }
        check();
    }

    // ---------------------------------------------------------------- once it is over

    /** Looks at each fork's one end. */
    void check() {
        int succeeded = 0;
        int failed = 0;
        int cancelled = 0;
        for (Subtask<Object> fork : forked) {
            Phase phase = fork.phase();
            int told = completed.getOrDefault(fork, 0);
            switch (phase) {
                case SUCCESS -> succeeded++;
                case FAILED -> failed++;
                case CANCELLED -> cancelled++;
                default -> simulation.fail("it never ended: " + fork, null);
            }
            if (told != (phase == Phase.CANCELLED ? 0 : 1)) {
                simulation.fail("the joiner heard " + told + " times of " + fork, null);
            }
        }
        if (outcomes.size() > 1) {
            simulation.fail("more than one outcome: " + outcomes, null);
        }
        if (outcomes.contains("timeout") && cancelled == 0 && !forked.isEmpty()) {
            simulation.fail("a time-out, though all had ended by themselves", null);
        }
        boolean timeAlone = cancellers == 0 && !forkMayBeCut && !inFork;
        if (outcomes.contains("result") && cancelled > 0 && timeAlone) {
            simulation.fail("its time was up, and its joiner gave a result", null);
        }
        if (cleanedUp != deferred) {
            simulation.fail(deferred + " were deferred, run: " + cleanedUp, null);
        }
        ScopeTotals totals = scope.totals();
        boolean counted = totals.succeeded() >= succeeded && totals.failed() >= failed;
        if (!counted || totals.cancelled() < cancelled) { // runs of schedules are counted too
            simulation.fail(totals + " of " + succeeded + ", " + failed + ", " + cancelled, null);
        }
    }
}
