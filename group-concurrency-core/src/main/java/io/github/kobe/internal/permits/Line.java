package io.github.kobe.internal.permits;

import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Some of the nodes that wait in one group, first in first out: each {@link Kind} apart, since they need different
 * things. Guarded by the group's guard.
 *
 * <p>A node that leaves stays linked as a dead one. A line never has more dead nodes than live ones, or than 32 if that
 * is more; whoever has it removes one without live nodes. Taking a node out needs no memory.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Line {

    /** What waits. */
    public enum Kind {
        /** A task. */
        TASK,
        /** A task of a scope inside the one whose line it is. */
        INNER_TASK,
        /** A thread, or what shares otherwise than as a task. */
        THREAD
    }

    private static final int TOLERATED_DEAD = 32;

    // Each made for the first of its kind.
    private @Nullable Nodes tasks;
    private @Nullable Nodes innerTasks;
    private @Nullable Nodes threads;

    private int live;

    private static final class Nodes extends ArrayDeque<Node> {

        private static final long serialVersionUID = 1L;

        Nodes() {
            super(1);
        }
    }

    /** Adds a node, which is about to be queued. If it fails, nothing has come of it. */
    public void add(Node node, Kind kind) {
        Nodes known = made(kind);
        try {
            known.addLast(node);
        } catch (OutOfMemoryError oom) {
            known.pollLast(); // it puts the node there before it grows, and would look empty
            throw oom;
        }
        live++;
    }

    private Nodes made(Kind kind) {
        Nodes known = known(kind);
        if (known == null) {
            known = new Nodes();
            switch (kind) {
                case TASK -> tasks = known;
                case INNER_TASK -> innerTasks = known;
                case THREAD -> threads = known;
            }
        }
        return known;
    }

    private @Nullable Nodes known(Kind kind) {
        return switch (kind) {
            case TASK -> tasks;
            case INNER_TASK -> innerTasks;
            case THREAD -> threads;
        };
    }

    /**
     * A node has left the queue.
     *
     * @return whether it was the last
     */
    public boolean leave(Node node) {
        live--;
        if (live > 0) {
            unlink(tasks, node);
            unlink(innerTasks, node);
            unlink(threads, node);
        }
        return live == 0;
    }

    /** Unlinks {@code node}, if that is cheap, or what is dead, if that is much. */
    private void unlink(@Nullable Nodes known, Node node) {
        if (known == null) {
            return;
        }
        if (known.peekFirst() == node) {
            known.removeFirst();
        } else if (known.peekLast() == node) {
            known.removeLast();
        } else if (known.size() > live + Math.max(TOLERATED_DEAD, live)) {
            sweep(known);
        }
    }

    private static void sweep(Nodes known) {
        for (int i = known.size(); i > 0; i--) {
            Node node = known.removeFirst();
            if (node.isQueued()) {
                known.addLast(node); // in the room that it has just left
            }
        }
    }

    /** {@return of one kind the one that has waited longest} */
    public @Nullable Node first(Kind kind) {
        return first(kind, node -> true);
    }

    /** {@return of one kind the one that has waited longest, of those that are wanted} */
    public @Nullable Node first(Kind kind, Predicate<Node> wanted) {
        Nodes known = known(kind);
        if (known == null) {
            return null;
        }
        while (!known.isEmpty() && !known.getFirst().isQueued()) {
            known.removeFirst();
        }
        for (Node node : known) {
            if (node.isQueued() && wanted.test(node)) {
                return node;
            }
        }
        return null;
    }
}
