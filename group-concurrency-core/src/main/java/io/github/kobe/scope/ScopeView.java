package io.github.kobe.scope;

import io.github.kobe.GroupHolder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes a snapshot of a scope and those inside it, which may change meanwhile. */
@SuppressWarnings("ReferenceEquality") // forks have identity
final class ScopeView {

    private static final int MOST_FORKS = 100;

    private ScopeView() {}

    static ScopeSnapshot of(OpenScope<?, ?, ?> scope) {
        List<ScopeSnapshot.Fork> shown = new ArrayList<>();
        Map<String, List<GroupHolder>> holders = new LinkedHashMap<>();
        for (ForkedSubtask<?> fork : scope.forks.stack.oldest(MOST_FORKS)) {
            Subtask.Phase phase = fork.phase();
            if (phase == Subtask.Phase.QUEUED && !holders.containsKey(fork.group())) {
                holders.put(fork.group(), scope.bridge.holders(fork.group()));
            }
            shown.add(new ScopeSnapshot.Fork(
                    fork.info(), phase, Optional.ofNullable(fork.threadName()), openedIn(scope, fork)));
        }
        return new ScopeSnapshot(
                scope.info(),
                scope.ownerWait.doing(),
                scope.isCancelled(),
                scope.totals(),
                scope.forks.unfinished(),
                shown,
                holders,
                openedIn(scope, scope.ownerFork));
    }

    /** {@return the scopes right inside one that were opened in {@code fork}; its owner's stand by themselves} */
    private static List<ScopeSnapshot> openedIn(OpenScope<?, ?, ?> scope, @Nullable ForkedSubtask<?> fork) {
        List<ScopeSnapshot> opened = new ArrayList<>();
        scope.children.forEach(inner -> {
            if (inner.ownerFork == fork) {
                opened.add(of(inner));
            }
        });
        return opened;
    }
}
