package io.github.kobe.internal.permits;

import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Some of the nodes that wait in one group, first in first out: tasks apart from the others, which are threads, or share
 * otherwise than as tasks. Guarded by the group's guard.
 *
 * <p>A node that leaves stays linked as a dead one. A line never has more dead nodes than live ones, or than 32 if that
 * is more; whoever has it removes one without live nodes. Taking a node out needs no memory.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Line {

    private static final int TOLERATED_DEAD = 32;

    private final ArrayDeque<Node> tasks = new ArrayDeque<>(1);
    /** Made for the first. */
    private @Nullable ArrayDeque<Node> others;

    private int live;

    /** Adds a node, which is about to be queued. If it fails, nothing has come of it. */
    public void add(Node node, boolean task) {
        if (task) {
            addLast(tasks, node);
        } else {
            if (others == null) {
                others = new ArrayDeque<>(1);
            }
            addLast(others, node);
        }
        live++;
    }

    private static void addLast(ArrayDeque<Node> nodes, Node node) {
        try {
            nodes.addLast(node);
        } catch (OutOfMemoryError oom) {
            nodes.pollLast(); // it puts the node there before it grows, and would look empty
            throw oom;
        }
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
            if (others != null) {
                unlink(others, node);
            }
        }
        return live == 0;
    }

    /** Unlinks {@code node}, if that is cheap, or what is dead, if that is much. */
    private void unlink(ArrayDeque<Node> nodes, Node node) {
        if (nodes.peekFirst() == node) {
            nodes.removeFirst();
        } else if (nodes.peekLast() == node) {
            nodes.removeLast();
        } else if (nodes.size() > live + Math.max(TOLERATED_DEAD, live)) {
            sweep(nodes);
        }
    }

    private static void sweep(ArrayDeque<Node> nodes) {
        for (int i = nodes.size(); i > 0; i--) {
            Node node = nodes.removeFirst();
            if (node.isQueued()) {
                nodes.addLast(node); // in the room that it has just left
            }
        }
    }

    /** {@return the task that has waited longest} */
    public @Nullable Node firstTask() {
        return first(tasks, node -> true);
    }

    /** {@return of the others the one that has waited longest, of those that are wanted} */
    public @Nullable Node firstOther(Predicate<Node> wanted) {
        return others == null ? null : first(others, wanted);
    }

    private static @Nullable Node first(ArrayDeque<Node> nodes, Predicate<Node> wanted) {
        while (!nodes.isEmpty() && !nodes.getFirst().isQueued()) {
            nodes.removeFirst();
        }
        for (Node node : nodes) {
            if (node.isQueued() && wanted.test(node)) {
                return node;
            }
        }
        return null;
    }
}
