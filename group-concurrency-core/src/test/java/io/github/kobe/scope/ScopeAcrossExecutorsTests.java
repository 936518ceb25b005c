package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tree of scopes over two executors: what its owners hold is lent to it wherever it is held, and wherever it is needed. */
class ScopeAcrossExecutorsTests extends ScopeTestCase {

    private GroupExecutor one;
    private GroupExecutor other;
    private Scopes ofOne;
    private Scopes ofOther;

    @BeforeEach
    void start() {
        one = executor(1);
        other = executor(1);
        ofOne = Scopes.of(one).withDefaults(Configuration::withoutTimeout);
        ofOther = Scopes.of(other).withDefaults(Configuration::withoutTimeout);
    }

    /** Runs it on a fresh thread, inside of group {@code g} of {@code executor}, which that may lend unseen. */
    private <T> T insideG(GroupExecutor executor, Callable<T> work) throws Exception {
        return Deadline.within(() -> insideGHere(executor, work));
    }

    private <T> T insideGHere(GroupExecutor executor, Callable<T> work) throws Exception {
        return executor.call("g", () -> {
            engines.witness(executor).mayLendUnseen("g");
            return work.call();
        });
    }

    @Tag("L2")
    @Tag("S3")
    @Test
    void aForkMayCallTheGroupOfAnotherExecutorThatItsOwnerIsInside() throws Exception {
        String value = insideG(other, () -> {
            try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                scope.fork("h", () -> other.call("g", () -> "called"));
                return scope.join().getFirst();
            }
        });

        assertThat(value).isEqualTo("called");
    }

    @Tag("L1")
    @Tag("S3")
    @Test
    void aForkOfAnInnerScopeMayRunInTheGroupOfAnotherExecutorThatTheOutermostOwnerIsInside() throws Exception {
        String value = insideG(other, () -> {
            try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                scope.fork("h", () -> {
                    try (var inner = ofOther.open(Joiner.<String>allSuccessfulOrThrow())) {
                        inner.fork("g", () -> "forked");
                        return inner.join().getFirst();
                    }
                });
                return scope.join().getFirst();
            }
        });

        assertThat(value).isEqualTo("forked");
    }

    @Tag("L2")
    @Tag("S3")
    @Test
    void aForkOfAnotherExecutorMayCallTheGroupOfAnOwnerAboveIt() throws Exception {
        String value = Deadline.within(() -> {
            try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                scope.fork("g", () -> {
                    engines.witness(one).mayLendUnseen("g");
                    try (var inner = ofOther.open(Joiner.<String>allSuccessfulOrThrow())) {
                        inner.fork("h", () -> one.call("g", () -> "called"));
                        return inner.join().getFirst();
                    }
                });
                return scope.join().getFirst();
            }
        });

        assertThat(value).isEqualTo("called");
    }

    /** Awaits a fork that is over while another one, which has what its owner holds in one executor, asks for the rest. */
    private String borrowedOneAfterTheOther(GroupExecutor first, GroupExecutor second) throws Exception {
        return insideG(
                first,
                () -> insideGHere(second, () -> {
                    Gate awaited = new Gate();
                    try (var scope = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                        Subtask<String> early = scope.fork("early", awaited.then("early"));
                        Subtask<String> late = scope.fork(
                                "late",
                                () -> first.call("g", () -> {
                                    gate.pass();
                                    return second.call("g", () -> "both");
                                }));
                        Thread owner = Thread.currentThread();
                        Caller<Object> director = Caller.start(() -> {
                            gate.awaitArrived(1);
                            awaited.open();
                            Deadline.until(
                                    "the owner has withdrawn", () -> Caller.isBlocked(owner) && isOver(one, "early"));
                            gate.open();
                            return null;
                        });
                        scope.await(early);
                        director.result();
                        scope.join();
                        return late.get();
                    }
                }));
    }

    private static boolean isOver(GroupExecutor executor, String group) {
        return executor.holders(group).isEmpty();
    }

    @Tag("L4")
    @Test
    void anOwnerThatWantsEverythingBackLendsOnWhatItHasInAnotherExecutor() throws Exception {
        assertThat(borrowedOneAfterTheOther(one, other)).isEqualTo("both");
    }

    @Tag("L4")
    @Test
    void soItDoesWhicheverExecutorCameFirst() throws Exception {
        assertThat(borrowedOneAfterTheOther(other, one)).isEqualTo("both");
    }

    @Tag("L4")
    @Test
    void anOwnerThatWantsEverythingBackLendsOnToForksOfABorrowersScope() throws Exception {
        String value = insideG(
                one,
                () -> insideGHere(other, () -> {
                    Gate awaited = new Gate();
                    try (var scope = ofOther.open(Joiner.<String>allSuccessfulOrThrow())) {
                        Subtask<String> early = scope.fork("early", awaited.then("early"));
                        Subtask<String> late = scope.fork("g", () -> {
                            engines.witness(other).mayLendUnseen("g");
                            gate.pass();
                            try (var inner = ofOne.open(Joiner.<String>allSuccessfulOrThrow())) {
                                inner.fork("g", () -> "forked");
                                return inner.join().getFirst();
                            }
                        });
                        Thread owner = Thread.currentThread();
                        Caller<Object> director = Caller.start(() -> {
                            gate.awaitArrived(1);
                            awaited.open();
                            Deadline.until(
                                    "the owner has withdrawn", () -> Caller.isBlocked(owner) && isOver(other, "early"));
                            gate.open();
                            return null;
                        });
                        scope.await(early);
                        director.result();
                        scope.join();
                        return late.get();
                    }
                }));

        assertThat(value).isEqualTo("forked");
    }
}
