package io.github.kobe.internal.lending;

import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Line;
import io.github.kobe.internal.permits.Line.Kind;
import io.github.kobe.internal.permits.Node;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of scopes that wait in one group: for each scope a {@link Line} of its family. Guarded by the group's guard.
 *
 * <p>A node is in the line of its own scope and of each enclosing one. Taking a node out needs no memory.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Kin {

    private final Group group;
    private final Families families;
    private final IdentityHashMap<Lineage, Line> lines = new IdentityHashMap<>(1);

    Kin(Group group, Families families) {
        this.group = group;
        this.families = families;
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
        Kind kind = node.asking() != null ? Kind.THREAD : node.lineage() == scope ? Kind.TASK : Kind.INNER_TASK;
        Line line = lines.get(scope);
        if (line != null) {
            line.add(node, kind);
            return;
        }
        line = new Line();
        line.add(node, kind);
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
        if (line != null && line.leave(node)) {
            lines.remove(scope);
            families.left(scope, group);
        }
    }

    /** {@return whether anything of the family of {@code scope} waits} */
    boolean has(Lineage scope) {
        return lines.get(scope) != null;
    }

    /** {@return the task of the family of {@code scope} that has waited longest} */
    @Nullable
    Node firstTask(Lineage scope) {
        Node own = first(scope, Kind.TASK);
        Node inner = first(scope, Kind.INNER_TASK);
        return own == null || (inner != null && inner.queuedAt() < own.queuedAt()) ? inner : own;
    }

    /** {@return of one kind of the family of {@code scope} the one that has waited longest} */
    @Nullable
    Node first(Lineage scope, Kind kind) {
        return first(scope, kind, node -> true);
    }

    /** {@return of one kind of the family of {@code scope} the one that has waited longest, of those that are wanted} */
    @Nullable
    Node first(Lineage scope, Kind kind, Predicate<Node> wanted) {
        Line line = lines.get(scope);
        return line == null ? null : line.first(kind, wanted);
    }

    /** {@return the scopes that have something waiting here} */
    List<Lineage> scopes() {
        return new ArrayList<>(lines.keySet());
    }
}
