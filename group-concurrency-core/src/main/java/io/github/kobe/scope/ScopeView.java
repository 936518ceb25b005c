package io.github.kobe.scope;

import io.github.kobe.GroupHolder;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes a snapshot of a scope and those inside it, which may change meanwhile. */
@SuppressWarnings("ReferenceEquality") // forks have identity
final class ScopeView {

    private record LiveScope(
            ScopeInfo scope,
            Owner owner,
            boolean cancelled,
            ScopeTotals totals,
            long unfinished,
            List<Fork> forks,
            Map<String, List<GroupHolder>> holders,
            List<ScopeSnapshot> scopes,
            boolean truncated)
            implements ScopeSnapshot {

        LiveScope {
            forks = List.copyOf(forks);
            holders = Map.copyOf(holders);
            scopes = List.copyOf(scopes);
        }
    }

    private static final int MOST_FORKS = 100;

    /** How many levels of scopes inside each other it shows: who reads a snapshot may go over it by a recursion. */
    static final int MOST_LEVELS = 50;

    private ScopeView() {}

    /** The innermost first, without a recursion: scopes may be nested deeper than the stack. */
    static ScopeSnapshot of(OpenScope<?, ?, ?> outermost) {
        IdentityHashMap<OpenScope<?, ?, ?>, Integer> levels = new IdentityHashMap<>();
        List<OpenScope<?, ?, ?>> subtree = new ArrayList<>();
        ScopeTree.addSubtree(subtree, outermost, scope -> {
            int level = levels.getOrDefault(scope.parent(), 0) + 1;
            return level <= MOST_LEVELS && levels.put(scope, level) == null;
        });
        IdentityHashMap<OpenScope<?, ?, ?>, ScopeSnapshot> made = new IdentityHashMap<>();
        for (OpenScope<?, ?, ?> scope : subtree.reversed()) {
            boolean cut = levels.getOrDefault(scope, 0) == MOST_LEVELS && !scope.children.isEmpty();
            made.put(scope, of(scope, made, cut));
        }
        return Objects.requireNonNull(made.get(outermost));
    }

    /**
     * Takes one of a single scope.
     *
     * @param inside has those inside it
     * @param cut whether those inside it are left out
     */
    private static ScopeSnapshot of(
            OpenScope<?, ?, ?> scope, IdentityHashMap<OpenScope<?, ?, ?>, ScopeSnapshot> inside, boolean cut) {
        List<ScopeSnapshot.Fork> shown = new ArrayList<>();
        Map<String, List<GroupHolder>> holders = new LinkedHashMap<>();
        for (ForkedSubtask<?> fork : scope.forks.stack.oldest(MOST_FORKS)) {
            Subtask.Phase phase = fork.phase();
            if (phase == Subtask.Phase.QUEUED && !holders.containsKey(fork.group())) {
                holders.put(fork.group(), scope.bridge.holders(fork.group()));
            }
            shown.add(new ScopeSnapshot.Fork(
                    fork.info(), phase, Optional.ofNullable(fork.threadName()), openedIn(scope, fork, inside)));
        }
        return new LiveScope(
                scope.info(),
                scope.ownerWait.doing(),
                scope.isCancelled(),
                scope.totals(),
                scope.forks.unfinished(),
                shown,
                holders,
                openedIn(scope, scope.ownerFork, inside),
                cut);
    }

    /** {@return the scopes right inside one that were opened in {@code fork}; its owner's stand by themselves} */
    private static List<ScopeSnapshot> openedIn(
            OpenScope<?, ?, ?> scope,
            @Nullable ForkedSubtask<?> fork,
            IdentityHashMap<OpenScope<?, ?, ?>, ScopeSnapshot> inside) {
        List<ScopeSnapshot> opened = new ArrayList<>();
        scope.children.forEach(inner -> {
            ScopeSnapshot snapshot = inner.ownerFork == fork ? inside.get(inner) : null;
            if (snapshot != null) { // else it was opened meanwhile
                opened.add(snapshot);
            }
        });
        return opened;
    }
}
