package io.github.kobe.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of scopes that wait in one group: for each scope a line of its family, first in first out, with tasks and
 * threads separate, since threads mostly need less. Guarded by the group's guard.
 *
 * <p>A node is in the line of its own scope and of each enclosing one. A node that leaves stays linked as a dead one. A
 * line never has more dead nodes than live ones, or than 32 if that is more, and a line without live ones is removed.
 *
 * <p>Taking a node out needs no memory.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Kin {

    private static final int TOLERATED_DEAD = 32;

    private static final class Line {
        final ArrayDeque<Node> tasks = new ArrayDeque<>(1);
        /** Made for the first. */
        @Nullable
        ArrayDeque<Node> threads;

        int live;

        void add(Node node) {
            if (node.asking() == null) {
                tasks.addLast(node);
            } else {
                if (threads == null) {
                    threads = new ArrayDeque<>(1);
                }
                threads.addLast(node);
            }
            live++;
        }

        /** Unlinks {@code node}, if that is cheap, or what is dead, if that is much. */
        void unlink(Node node) {
            unlink(tasks, node);
            if (threads != null) {
                unlink(threads, node);
            }
        }

        private void unlink(ArrayDeque<Node> nodes, Node node) {
            if (nodes.peekFirst() == node) {
                nodes.removeFirst();
            } else if (nodes.peekLast() == node) {
                nodes.removeLast();
            } else if (nodes.size() > live + Math.max(TOLERATED_DEAD, live)) {
                sweep(nodes);
            }
        }
    }

    private final Group group;
    private final Families families;
    private final IdentityHashMap<Lineage, Line> lines = new IdentityHashMap<>(1);

    Kin(Group group) {
        this.group = group;
        this.families = group.engine.lending.families;
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** Adds {@code node}, which is about to be queued. If it fails, nothing has come of it. */
    void add(Node node) {
        Lineage scope = node.lineage();
        try {
            for (; scope != null; scope = scope.parent()) {
                add(scope, node);
            }
        } catch (Throwable failure) {
            for (Lineage before = node.lineage(); before != scope && before != null; before = before.parent()) {
                leave(before, node);
            }
            throw failure;
        }
    }

    private void add(Lineage scope, Node node) {
        Line line = lines.get(scope);
        if (line != null) {
            line.add(node);
            return;
        }
        line = new Line();
        line.add(node);
        lines.put(scope, line);
        boolean known = false;
        try {
            families.queued(scope, group);
            known = true;
        } finally {
            if (!known) {
                lines.remove(scope);
            }
        }
    }

    /** Takes {@code node} out, which has left the queue. */
    void leave(Node node) {
        for (Lineage scope = node.lineage(); scope != null; scope = scope.parent()) {
            leave(scope, node);
        }
    }

    private void leave(Lineage scope, Node node) {
        Line line = lines.get(scope);
        if (line == null) {
            return;
        }
        line.live--;
        if (line.live == 0) {
            lines.remove(scope);
            families.left(scope, group);
        } else {
            line.unlink(node);
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

    /** {@return whether anything of the family of {@code scope} waits} */
    boolean has(Lineage scope) {
        return lines.get(scope) != null;
    }

    /** {@return the task of the family of {@code scope} that has waited longest} */
    @Nullable
    Node firstTask(Lineage scope) {
        Line line = lines.get(scope);
        return line == null ? null : first(line.tasks, node -> true);
    }

    /** {@return of the threads of the family of {@code scope} the one that has waited longest, of those that are wanted} */
    @Nullable
    Node firstThread(Lineage scope, Predicate<Node> wanted) {
        Line line = lines.get(scope);
        return line == null || line.threads == null ? null : first(line.threads, wanted);
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

    /** {@return the scopes that have something waiting here} */
    List<Lineage> scopes() {
        return new ArrayList<>(lines.keySet());
    }
}
