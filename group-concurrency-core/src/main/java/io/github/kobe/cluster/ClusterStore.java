package io.github.kobe.cluster;

import io.github.kobe.internal.cluster.InMemoryStore;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where nodes that share limits meet. It knows what each of them has and wants, and divides what the limits allow; it knows
 * no task and no permit.
 *
 * <pre>{@code
 * try (ClusterStore store = ClusterStore.inMemory()) {
 *     // give it to each executor that shares
 * }
 * }</pre>
 *
 * <p>A store may forget everything, if it notices that: then it begins a new {@linkplain Answer#epoch epoch}, and grants
 * nothing until every node that lives has said again what it has.
 *
 * <p>Whoever made a store closes it. Thread-safe. Applications use stores and don't implement them; it may get more methods.
 *
 * @since 0.1.0
 */
public interface ClusterStore extends AutoCloseable {

    /**
     * Makes a store for executors of this JVM, which are given the same one: for tests. It forgets nothing, so it grants from
     * the first statement on.
     *
     * @return a new store, which holds no thread
     */
    static ClusterStore inMemory() {
        return InMemoryStore.forTests();
    }

    /**
     * Carries out a statement. Never blocks. Statements of one session are to be made one after the other, each when the one
     * before was answered or given up.
     *
     * @param statement what a node says
     * @return the answer. If it fails, there is none, for whatever reason; the statement may have been carried out, or may
     *     still be, also twice. That changes nothing once a later one has been carried out
     */
    CompletionStage<Answer> exchange(Statement statement);

    /**
     * Adds one who is told of hints. Each user of the store adds its own, once. A hint may be lost, doubled or late.
     *
     * @param listener told of hints for all sessions that speak through this object, on any thread and by several at once; it
     *     must not block. What it throws is logged, the first time
     * @return what the user runs once it needs no more hints: then the listener is told no more, and is not kept. To run it again
     *     changes nothing
     */
    Runnable onHint(Consumer<Hint> listener);

    /**
     * Shows what nodes have and want, for people.
     *
     * @param resource of which resource, as in {@link Demand#resource}; {@code null}: all nodes, each with the sum over all its
     *     resources
     * @return of one resource those nodes that have or want some, else all that live; ordered by name; fails as {@link #exchange}
     *     does
     */
    CompletionStage<List<NodeShare>> look(@Nullable String resource);

    /**
     * Gives up the store: once it is closed, every stage fails. What nodes have said stays, where there is a server. A store may
     * wait for a moment before that, for those that use it and are about to say that they end. Idempotent.
     */
    @Override
    void close();

    /** {@return where it is and who shares, for logs; without credentials} */
    @Override
    String toString();
}
