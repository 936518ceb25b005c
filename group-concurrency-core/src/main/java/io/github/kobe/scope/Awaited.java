package io.github.kobe.scope;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Forks of one scope that its owner awaits, and how they have ended. */
@SuppressWarnings("ReferenceEquality") // scopes have identity
final class Awaited {

    private final List<ForkedSubtask<?>> forks;
    /** Those before it are over. */
    private int at;

    Awaited(OpenScope<?, ?, ?> scope, Collection<? extends Subtask<?>> some) {
        forks = new ArrayList<>(Objects.requireNonNull(some, "some").size());
        for (Subtask<?> subtask : some) {
            ForkedSubtask<?> fork = (ForkedSubtask<?>) Objects.requireNonNull(subtask, "subtask");
            if (fork.scope() != scope) {
                throw new IllegalArgumentException(fork + " is not a fork of " + scope);
            }
            forks.add(fork);
        }
    }

    boolean isEmpty() {
        return forks.isEmpty();
    }

    /** {@return whether all are over} If not, the first that isn't wakes the owner. */
    boolean areOver(OwnerWait wait) {
        for (; at < forks.size(); at++) {
            ForkedSubtask<?> next = forks.get(at);
            wait.awaits(next);
            if (!next.isOver()) {
                return false;
            }
        }
        return true;
    }

    boolean areAny(Subtask.State state) {
        return forks.stream().anyMatch(fork -> fork.state() == state);
    }

    /** They may be read from now on. */
    void show() {
        forks.forEach(ForkedSubtask::awaited);
    }

    Outcome outcome() {
        int succeeded = 0;
        List<Throwable> failures = new ArrayList<>();
        for (ForkedSubtask<?> fork : forks) {
            Throwable failure = fork.failureOrNull();
            if (failure != null) {
                failures.add(failure);
            } else if (fork.state() == Subtask.State.SUCCESS) {
                succeeded++;
            }
        }
        return new Outcome(forks.size(), succeeded, forks.size() - succeeded - failures.size(), failures);
    }

    /** {@return their values, and null for each that has none; whose type is the caller's word} */
    @SuppressWarnings("unchecked") // the value of a Subtask<? extends U>
    <U> List<@Nullable U> values() {
        List<@Nullable U> values = new ArrayList<>();
        for (ForkedSubtask<?> fork : forks) {
            values.add((U) fork.valueOrNull());
        }
        return Collections.unmodifiableList(values);
    }
}
