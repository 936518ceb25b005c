package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Lineage;
import java.util.List;

/**
 * What one group has to do with lending: what waits there that belongs to scopes, and what is offered to it. It is what a
 * group knows of {@code Offered}.
 */
public interface LocalLending {

    /** {@return whether nothing waits that belongs to a scope, and nothing is offered} */
    boolean isEmpty();

    // ---- under the guard

    /** A node is about to be queued that belongs to a scope. If it fails, nothing has come of it. */
    void add(Node node);

    /** One has left the queue. It needs no memory. */
    void leave(Node node);

    /** {@return the scopes that have something waiting here} */
    List<Lineage> scopes();

    // ---- under the ledger's lock, with the group attached if anything is offered

    /** {@return whether anything is offered to what waits} */
    boolean isOffered();

    /** {@return whether any of it is of an owner who is inside the group} */
    boolean isOfferedByInsider();

    /**
     * Grants what can be granted on what is offered.
     *
     * @param last whether groups have had their turns
     */
    void grant(boolean last, Batch batch);
}
