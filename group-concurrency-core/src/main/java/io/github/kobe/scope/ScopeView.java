package io.github.kobe.scope;

import io.github.kobe.GroupHolder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

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
     * @param cut whether those inside it are left out, since they are too deep
     */
    private static ScopeSnapshot of(
            OpenScope<?, ?, ?> scope, IdentityHashMap<OpenScope<?, ?, ?>, ScopeSnapshot> inside, boolean cut) {
        List<ScopeSnapshot> byOwner = new ArrayList<>();
        IdentityHashMap<ForkedSubtask<?>, List<ScopeSnapshot>> byForks = new IdentityHashMap<>();
        scope.children.forEach(inner -> {
            ScopeSnapshot snapshot = inside.get(inner);
            if (snapshot != null) { // else it was opened meanwhile
                ForkedSubtask<?> fork = inner.ownerFork;
                List<ScopeSnapshot> opened = fork == null || fork == scope.ownerFork
                        ? byOwner
                        : byForks.computeIfAbsent(fork, first -> new ArrayList<>());
                opened.add(snapshot);
            }
        });
        List<ScopeSnapshot.Fork> shown = new ArrayList<>();
        Map<String, List<GroupHolder>> holders = new LinkedHashMap<>();
        for (ForkedSubtask<?> fork : shown(scope, byForks.keySet())) {
            Subtask.Phase phase = fork.phase();
            if (phase == Subtask.Phase.QUEUED && !holders.containsKey(fork.group())) {
                holders.put(fork.group(), scope.bridge.holders(fork.group()));
            }
            shown.add(new ScopeSnapshot.Fork(
                    fork.info(), phase, Optional.ofNullable(fork.threadName()), byForks.getOrDefault(fork, List.of())));
        }
        return new LiveScope(
                scope.info(),
                scope.ownerWait.doing(),
                scope.isCancelled(),
                scope.totals(),
                scope.forks.unfinished(),
                shown,
                holders,
                byOwner,
                cut || byForks.size() > MOST_FORKS);
    }

    /** {@return the oldest forks, the oldest first; those that have opened scopes rather than others} */
    private static List<ForkedSubtask<?>> shown(OpenScope<?, ?, ?> scope, Set<ForkedSubtask<?>> openers) {
        Comparator<ForkedSubtask<?>> byAge = Comparator.comparingLong(ForkedSubtask::id);
        return Stream.concat(openers.stream().sorted(byAge), scope.forks.stack.oldest(MOST_FORKS).stream())
                .distinct()
                .limit(MOST_FORKS)
                .sorted(byAge)
                .toList();
    }
}
