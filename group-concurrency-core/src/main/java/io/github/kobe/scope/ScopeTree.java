package io.github.kobe.scope;

import io.github.kobe.internal.base.Removal;
import io.github.kobe.internal.doors.ScopeBridge;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the scope that a thread is in: the innermost that it has open, else that of the fork it runs. Scopes form one
 * tree across executors, so there is one instance.
 *
 * <p>It knows threads only while they have scopes open, and keeps no scope reachable. A scope that was never closed,
 * has nothing left that runs or waits, and that nobody can close any more, is forgotten once it is collected. Until
 * then its owner may still be in its block, so scopes that the owner opens are inside it, unless its time is up.
 */
@SuppressWarnings("ReferenceEquality") // scopes have identity
final class ScopeTree {

    private static final ConcurrentHashMap<Thread, Place> INNERMOST = new ConcurrentHashMap<>();

    private static final ReferenceQueue<OpenScope<?, ?, ?>> COLLECTED = new ReferenceQueue<>();

    /** Where a scope stands among those that its owner has open. */
    private static final class Place extends WeakReference<OpenScope<?, ?, ?>> {

        private final Thread owner;
        private final @Nullable Place outer;

        Place(OpenScope<?, ?, ?> scope, @Nullable Place outer) {
            super(scope, COLLECTED);
            this.owner = scope.owner;
            this.outer = outer;
        }
    }

    private ScopeTree() {}

    /** It is found from its thread, and from the scope that it is inside of; if it fails, from neither. */
    static void opened(OpenScope<?, ?, ?> scope) {
        forgetCollected();
        OpenScope<?, ?, ?> parent = scope.parent();
        Place place = new Place(scope, known(INNERMOST.get(scope.owner)));
        boolean known = false;
        try {
            if (parent != null) {
                parent.children.add(scope);
            }
            INNERMOST.put(scope.owner, place);
            known = true;
        } finally {
            if (!known) {
                leave(place); // a map that finds no memory to grow may have it all the same
                if (parent != null) {
                    parent.children.remove(scope);
                }
            }
        }
    }

    /** The innermost of its owner is closed, and found no more; by that, or by anyone, once that thread has ended. */
    static void closed(OpenScope<?, ?, ?> scope) {
        Place top = INNERMOST.get(scope.owner);
        if (top != null && top.refersTo(scope)) {
            leave(top);
        }
        OpenScope<?, ?, ?> parent = scope.parent();
        if (parent != null) {
            parent.children.remove(scope);
        }
    }

    private static void forgetCollected() {
        for (Reference<?> gone = COLLECTED.poll(); gone != null; gone = COLLECTED.poll()) {
            leave((Place) gone); // unless it isn't the innermost: then those inside it have gone as well, or soon will
        }
    }

    private static void leave(Place place) {
        Place outer = known(place.outer);
        if (outer == null) {
            boolean unused = Removal.from(INNERMOST, place.owner, place);
        } else {
            INNERMOST.replace(place.owner, place, outer);
        }
    }

    /** {@return the place, or the first outside of it, whose scope isn't collected} */
    private static @Nullable Place known(@Nullable Place place) {
        Place at = place;
        while (at != null && at.refersTo(null)) {
            at = at.outer;
        }
        return at;
    }

    /** {@return the innermost scope that {@code thread} has open} */
    static @Nullable OpenScope<?, ?, ?> innermost(Thread thread) {
        OpenScope<?, ?, ?> scope = null;
        for (Place at = INNERMOST.get(thread); at != null && scope == null; at = at.outer) {
            scope = at.get();
        }
        return scope;
    }

    /** {@return as {@link #innermost}, of those that may have others inside them} */
    static @Nullable OpenScope<?, ?, ?> innermostInUse(Thread thread) {
        OpenScope<?, ?, ?> scope = null;
        for (Place at = INNERMOST.get(thread); at != null && (scope == null || scope.isSpent()); at = at.outer) {
            scope = at.get();
        }
        return scope == null || scope.isSpent() ? null : scope;
    }

    /** {@return those of an executor that are open} */
    static List<OpenScope<?, ?, ?>> open(ScopeBridge executor) {
        forgetCollected();
        List<OpenScope<?, ?, ?>> open = new ArrayList<>();
        for (Place top : INNERMOST.values()) {
            for (Place at = top; at != null; at = at.outer) {
                OpenScope<?, ?, ?> scope = at.get();
                if (scope != null && scope.bridge == executor) {
                    open.add(scope);
                }
            }
        }
        return open;
    }

    /**
     * Adds a scope and those inside it to a list, from above to below. That takes no recursion: they may be nested deeper
     * than the stack.
     *
     * @param subtree an empty list
     * @param enters asked of each when there is room for it; false: neither it nor what is inside it is added
     */
    static void addSubtree(
            List<OpenScope<?, ?, ?>> subtree, OpenScope<?, ?, ?> outermost, Predicate<OpenScope<?, ?, ?>> enters) {
        Consumer<OpenScope<?, ?, ?>> add = scope -> {
            subtree.add(scope); // before it is asked: there may be no memory for it
            if (!enters.test(scope)) {
                subtree.removeLast();
            }
        };
        add.accept(outermost);
        for (int i = 0; i < subtree.size(); i++) {
            subtree.get(i).children.forEach(add);
        }
    }

    /** {@return the fork that {@code thread} runs} */
    static @Nullable ForkedSubtask<?> forkOf(Thread thread) {
        return (ForkedSubtask<?>) ScopeBridge.forkOf(thread);
    }

    /** {@return whether {@code thread}, the current one, is in {@code scope} or a scope inside it, or tells of a fork there} */
    static boolean isWithin(Thread thread, OpenScope<?, ?, ?> scope) {
        OpenScope<?, ?, ?> within = enclosing(thread);
        while (within != null && within != scope) {
            within = within.parent();
        }
        return within != null || ScopeBridge.tellsInside(thread, scope);
    }

    private static @Nullable OpenScope<?, ?, ?> enclosing(Thread thread) {
        OpenScope<?, ?, ?> own = innermost(thread);
        ForkedSubtask<?> run = own == null ? forkOf(thread) : null;
        return run == null ? own : run.scope();
    }
}
