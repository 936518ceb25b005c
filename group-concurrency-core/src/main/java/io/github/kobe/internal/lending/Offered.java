package io.github.kobe.internal.lending;

import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.GroupState;
import io.github.kobe.internal.permits.LocalLending;
import io.github.kobe.internal.permits.Node;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one group has to do with lending; let go of when it is empty. */
final class Offered implements LocalLending {

    private final Group group;
    private final Borrowing borrowing;
    private final Kin kin;

    /** For what waits here; guarded by the ledger's lock. {@code null}: none. */
    private @Nullable KnownOffers offers;

    Offered(Group group, Families families, Borrowing borrowing) {
        this.group = group;
        this.borrowing = borrowing;
        this.kin = new Kin(group, families);
    }

    /** {@return what {@code group} has; {@code null}: nothing of lending} Under its guard. */
    static @Nullable Offered in(GroupState group) {
        return (Offered) group.lending(); // nobody else makes any
    }

    /** As {@link #in}, made if need be. */
    static Offered made(GroupState group) {
        return (Offered) group.lendingMade();
    }

    @Override
    public boolean isEmpty() {
        return kin.isEmpty() && offers == null;
    }

    @Override
    public void add(Node node) {
        kin.add(node);
    }

    @Override
    public void leave(Node node) {
        kin.leave(node);
    }

    @Override
    public List<Lineage> scopes() {
        return kin.scopes();
    }

    /** {@return what waits here that belongs to scopes} */
    Kin kin() {
        return kin;
    }

    // ---- what is offered, under the ledger's lock

    @Override
    public boolean isOffered() {
        return offers != null;
    }

    @Override
    public boolean isOfferedByInsider() {
        return offers != null && offers.isAnyOfInsider();
    }

    @Override
    public void grant(boolean last, Batch batch) {
        if (offers != null && !group.isEnding()) {
            borrowing.grant(group, offers, last, batch);
        }
    }

    /** Starts what {@code offer} is of use for; false if it has left off. */
    boolean grant(Offer offer, boolean last, Batch batch) {
        return offers == null || group.isEnding() || borrowing.grant(group, offers, offer, last, batch);
    }

    boolean knows(Offer offer) {
        return offers != null && offers.has(offer);
    }

    /** Knows an offer from now on, of an owner who is inside this group or not. */
    void learn(Offer offer, boolean inside) {
        if (offers == null) {
            offers = new KnownOffers();
        }
        offers.add(offer, inside);
    }

    void forget(Offer offer) {
        if (offers != null) {
            offers.remove(offer);
            if (offers.isEmpty()) {
                offers = null;
            }
        }
    }
}
