package io.github.kobe.internal.lending;

import io.github.kobe.RejectionReason;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.GroupState;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.Ledger;
import io.github.kobe.internal.permits.Line.Kind;
import io.github.kobe.internal.permits.Node;
import io.github.kobe.internal.permits.Piece;
import io.github.kobe.internal.permits.SharedGlobal;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Starts waiting nodes on permits that are {@linkplain Offer offered} to them. Everything here happens under the
 * ledger's lock, in a critical section of the group in which the node waits.
 *
 * <p>A borrower needs permits of its group, and a global one, and its group's rate has to allow it. It gets the first from an owner's hold in that group,
 * unless the group has room. It shares the second, gets it from an owner, or takes a free one. Among several owners the
 * nearest is asked first, since its offer is of use to the fewest. Lent permits stay counted, and the limits apply,
 * whatever they are by then.
 *
 * <p>Nobody joins an owner's {@link SharedGlobal} while anything that uses it is lent, and it is lent only while no
 * other thread works on it. A thread that comes waits until it is back, and an owner that isn't alone lends as soon as
 * it is.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Borrowing {

    private final Ledger ledger;
    private final Holds holds;
    private final Lending lending;
    private final ListedOffers listed;

    Borrowing(Ledger ledger, Holds holds, Lending lending, ListedOffers listed) {
        this.ledger = ledger;
        this.holds = holds;
        this.lending = lending;
        this.listed = listed;
    }

    /**
     * Grants what can be granted in {@code group} on what is offered to it.
     *
     * @param last whether groups have had their turns: then free global permits are nobody else's, and where there is none, a
     *     lent one may be used ahead of the queue
     */
    void grant(GroupState group, KnownOffers offers, boolean last, Batch batch) {
        if (grant(group, offers, offers.ofInsiders(), last, batch)) {
            boolean unused = grant(group, offers, offers.ofOutsiders(), last, batch);
        }
    }

    /**
     * Grants to each as long as that succeeds; one that has failed goes to the end.
     *
     * @return false if it has left off
     */
    private boolean grant(GroupState group, KnownOffers offers, SequencedSet<Offer> tried, boolean last, Batch batch) {
        for (int left = tried.size(); left > 0 && !tried.isEmpty() && (group.mayStart() || offers.isAnyOfInsider()); ) {
            Offer offer = tried.getFirst();
            boolean wanted = offer.isWantedIn(group);
            boolean mayLend = wanted && mayLend(offer, group);
            if (!wanted) {
                lending.unregister(offer, group.asGroup(), batch);
                left--;
            } else if (mayLend && batch.leavesOff(group.asGroup())) {
                return false;
            } else if (!mayLend || !tryGrant(group, offers, offer, last, batch)) {
                tried.addLast(offer);
                left--;
            }
        }
        return true;
    }

    /**
     * Grants what can be granted in {@code group} on one offer.
     *
     * @return false if it has left off
     */
    boolean grant(GroupState group, KnownOffers offers, Offer offer, boolean last, Batch batch) {
        // An owner inside may have the group's permits for one that this offer has a global permit for.
        boolean goesOn = grant(group, offers, offers.ofInsiders(), last, batch);
        while (goesOn && offers.has(offer) && mayLend(offer, group) && (group.mayStart() || offers.isAnyOfInsider())) {
            if (!offer.isWantedIn(group)) {
                lending.unregister(offer, group.asGroup(), batch);
                return true;
            }
            goesOn = !batch.leavesOff(group.asGroup());
            if (goesOn && !tryGrant(group, offers, offer, last, batch)) {
                return true;
            }
        }
        return goesOn;
    }

    // ---- in all groups that know an offer

    /** Grants what can be granted on {@code offer} where its owner is inside, or for the one that it is for. */
    void lendInside(Offer offer, Batch batch) {
        if (!offer.settled && !offer.groups.isEmpty()) {
            boolean unused = lend(offer, false, batch);
        }
    }

    private boolean lend(Offer offer, boolean last, Batch batch) {
        if (offer.only != null) {
            return offer.groups.isEmpty() || grantIn(offer.groups.getFirst(), offer, last, batch);
        }
        for (Hold hold = holds.topOpen(offer.owner); hold != null; hold = Holds.open(hold.below)) {
            if (!grantIn(hold.group, offer, last, batch)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Grants what can be granted on {@code offer}, in one group after the other, until nothing of it is left.
     *
     * @return false if it has left off
     */
    boolean lendOn(Offer offer, Batch batch) {
        if (offer.settled || !lend(offer, true, batch)) {
            return offer.settled;
        }
        for (int left = offer.groups.size(); left > 0 && mayLend(offer, null); left--) {
            Group group = offer.groups.getFirst();
            offer.groups.addLast(group);
            if (!grantIn(group, offer, true, batch)) {
                return false;
            }
        }
        return true;
    }

    /** Starts what {@code offer} is of use for in {@code group}, if that knows it; false if it has left off. */
    private static boolean grantIn(Group group, Offer offer, boolean last, Batch batch) {
        Offered offered = Offered.in(group);
        return offered == null || !offered.knows(offer) || offered.grant(offer, last, batch);
    }

    /** As {@link #lendInside}, where the ledger may be off; by who holds its lock, and no group's. It needs no memory. */
    void lookAgain(Offer offer, Batch batch) {
        if (offer.only != null && !offer.groups.isEmpty()) {
            look(offer.groups.getFirst(), batch);
        }
        for (Hold hold = holds.topOpen(offer.owner); hold != null; hold = Holds.open(hold.below)) {
            Offered offered = Offered.in(hold.group);
            if (offered != null && offered.knows(offer)) {
                look(hold.group, batch);
            }
        }
    }

    private static void look(Group group, Batch batch) {
        group.enter();
        group.exit(batch);
    }

    /**
     * {@return whether anything of {@code offer} is with its owner, and may be lent} What another owner lends who shares it is
     * looked at again once that is back.
     *
     * @param group where the owner's permits of the group may be lent too; {@code null}: nowhere
     */
    private boolean mayLend(Offer offer, @Nullable GroupState group) {
        for (Hold hold = holds.topOpen(offer.owner); hold != null; hold = Holds.open(hold.below)) {
            SharedGlobal shared = hold.sharedSoFar();
            Loan known = shared == null ? null : Loan.of(shared.loan);
            boolean free = known == null || (known.begun && known.offer == offer);
            if (known != null && known.offer != offer) {
                listed.crowded(offer);
            }
            if (free
                    && (shared == null
                            || isAtHome(offer, shared)
                            || (hold.group == group && !hold.real().isLent()))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAtHome(Offer offer, SharedGlobal shared) {
        return offer.loanOf(shared) == null;
    }

    // ---- one node

    /** {@return whether anything was decided} */
    private boolean tryGrant(GroupState group, KnownOffers offers, Offer offer, boolean last, Batch batch) {
        if (offer.only != null) {
            return tryStart(group, offers, offer.only, last, batch);
        }
        Kin kin = Offered.made(group).kin();
        Lineage family = Objects.requireNonNull(offer.family);
        if (offer.withdrawn) {
            return tryStart(group, offers, kin.first(family, Kind.THREAD), last, batch)
                    || tryStart(group, offers, kin.first(family, Kind.INNER_TASK), last, batch);
        }
        Node task = kin.firstTask(family);
        Node thread = kin.first(family, Kind.THREAD);
        boolean taskFirst = task != null && (thread == null || task.queuedAt() <= thread.queuedAt());
        return tryStart(group, offers, taskFirst ? task : thread, last, batch)
                || tryStart(group, offers, taskFirst ? thread : task, last, batch)
                || (thread != null
                        && !thread.mayShare()
                        && tryStart(group, offers, kin.first(family, Kind.THREAD, Node::mayShare), last, batch));
    }

    private boolean tryStart(GroupState group, KnownOffers offers, @Nullable Node node, boolean last, Batch batch) {
        return node != null && new Attempt(group, offers.forOnly(node), node, last).decide(batch);
    }

    /** To start one node. */
    private final class Attempt {

        private final GroupState group;
        private final List<Offer> forOnly;
        private final Node node;
        private final boolean last;

        private @Nullable Loan ofGroup;
        private @Nullable Loan ofGlobal;
        private boolean shares;
        /** Whether it has been given a free global permit. */
        private boolean free;

        Attempt(GroupState group, List<Offer> forOnly, Node node, boolean last) {
            this.group = group;
            this.forOnly = forOnly;
            this.node = node;
            this.last = last;
        }

        /** {@return whether anything was decided: it starts, or its wait is over} */
        boolean decide(Batch batch) {
            batch.reserveEnd();
            batch.reserveAside();
            RejectionReason ends = group.endsFor(node);
            if (ends != null) {
                group.queue.remove(node);
                group.endLeft(node, ends, batch);
                group.headHasLeft();
                return true;
            }
            if (!group.isInPace(node)) {
                group.armRate(node);
                return false;
            }
            boolean decided = false;
            boolean granted = false;
            try {
                if (findPermits() && tryBegin(ofGroup) && tryBegin(ofGlobal == ofGroup ? null : ofGlobal)) {
                    granted = node.grant(loan(), shares, group.chargeFor(node));
                    decided = true;
                }
            } finally {
                if (granted) {
                    borrow(batch);
                } else {
                    leave(decided, batch);
                }
            }
            return decided;
        }

        /** {@return what it starts on} */
        private Loan loan() {
            Loan first = ofGroup;
            if (first == null) {
                return Objects.requireNonNull(ofGlobal);
            }
            first.also = ofGlobal == first ? null : ofGlobal;
            return first;
        }

        /** Finds all that it needs; what it has found stays marked, also if that isn't all. */
        private boolean findPermits() {
            ofGroup = findOfGroup();
            if (ofGroup == null && (!group.hasRoom() || node.mayShare())) {
                return false;
            }
            shares = ofGroup != null && node.tryShare();
            if (shares) {
                return true;
            }
            if (!ledger.bindUnlessMayStart()) {
                ledger.wantStart(group);
                return false;
            }
            ofGlobal = findGlobal();
            free = ofGroup != null && ofGlobal == null && last && tryTakeFree();
            boolean found = ofGlobal != null || free;
            if (ofGroup != null && !found && last) {
                ledger.wantFree(group);
            }
            return found;
        }

        private boolean tryTakeFree() {
            if (group.tryTakeGlobal(true)) {
                return true;
            }
            ledger.bind(); // from now on whoever frees one comes by here
            return group.tryTakeGlobal(true);
        }

        // ---- who offers it what

        private @Nullable Offer offerTo(Lineage scope) {
            Offer offer = lending.families.offerTo(scope);
            return offer == null || (offer.withdrawn && !isAwaited(scope)) ? null : offer;
        }

        /** {@return whether others than the owner of {@code scope} may wait for the node} */
        private boolean isAwaited(Lineage scope) {
            boolean awaited = node.asking() != null || node.lineage() != scope;
            for (int i = 0; i < forOnly.size(); i++) {
                awaited |= !forOnly.get(i).withdrawn;
            }
            return awaited;
        }

        private @Nullable Loan findOfGroup() {
            for (int i = 0; i < forOnly.size(); i++) {
                Offer offer = forOnly.get(i);
                Loan found = offer.withdrawn ? null : ofGroup(offer);
                if (found != null) {
                    return found;
                }
            }
            for (Lineage scope = node.lineage(); scope != null; scope = scope.parent()) {
                Offer offer = offerTo(scope);
                Loan found = offer == null ? null : ofGroup(offer);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        private @Nullable Loan findGlobal() {
            Loan first = ofGroup;
            if (first != null && isAtHome(first.offer, first.shared)) {
                return first;
            }
            for (int i = 0; i < forOnly.size(); i++) {
                Offer offer = forOnly.get(i);
                Loan found = offer.withdrawn ? null : global(offer);
                if (found != null) {
                    return found;
                }
            }
            if (first == null && !(last && group.lacksGlobal())) {
                return null; // its turn will come
            }
            for (Lineage scope = node.lineage(); scope != null; scope = scope.parent()) {
                Offer offer = offerTo(scope);
                Loan found = offer == null ? null : global(offer);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        /** {@return a loan that is marked, of the permits that the owner has in the group} */
        private @Nullable Loan ofGroup(Offer offer) {
            for (Hold hold = holds.topOpen(offer.owner); hold != null; hold = Holds.open(hold.below)) {
                Hold real = hold.real();
                if (hold.group == group && !real.isLent()) {
                    Loan loan = new Loan(offer, group.asGroup(), hold.share());
                    if (mark(loan)) {
                        real.lend();
                        loan.groupHold = real;
                        return loan;
                    }
                }
            }
            return null;
        }

        /** {@return a loan that is marked, of a global permit of the owner} */
        private @Nullable Loan global(Offer offer) {
            for (Hold hold = holds.topOpen(offer.owner); hold != null; hold = Holds.open(hold.below)) {
                SharedGlobal shared = hold.share();
                if (isAtHome(offer, shared)) {
                    Loan loan = new Loan(offer, group.asGroup(), shared);
                    if (mark(loan)) {
                        return loan;
                    }
                }
            }
            return null;
        }

        // ---- what follows

        /** {@return false if its owner has everything again, of what it had offered in other engines too, and goes on} */
        private boolean tryBegin(@Nullable Loan loan) {
            if (loan == null) {
                return true;
            }
            if (!loan.offer.tryOwe()) {
                return false;
            }
            ledger.pin(loan.group);
            ledger.pin(loan.shared.home);
            loan.begun = true;
            return true;
        }

        /** Gives back what of the owners' is lent, and takes it for the borrower; nothing fails here. */
        private void borrow(Batch batch) {
            group.queue.remove(node);
            if (ofGroup != null) {
                group.putBackToLedger(Piece.ALL_BUT_GLOBAL);
                group.addLent(1);
                ofGroup.lacksConcurrency = true;
                ofGroup.lacksInFlight = true;
                lending.begun(ofGroup);
            }
            if (ofGlobal != null) {
                ofGlobal.shared.home.putBackToLedger(Piece.GLOBAL);
                ofGlobal.lacksGlobal = true;
                if (ofGlobal != ofGroup) {
                    lending.begun(ofGlobal);
                }
                group.takeFromLedger(Piece.ALL);
                ledger.permits.startOnLent();
            } else {
                group.take(Piece.all(!shares));
            }
            batch.grantedAside(node);
            group.started(node);
            group.headHasLeft();
        }

        /** Leaves what it has found. */
        private void leave(boolean gone, Batch batch) {
            if (shares) {
                node.unshare(batch);
            } else if (free) {
                group.untakeGlobal();
            }
            unmark(ofGroup);
            unmark(ofGlobal == ofGroup ? null : ofGlobal);
            if (gone) {
                group.queue.remove(node);
                group.countLeft(node);
            }
        }

        private void unmark(@Nullable Loan loan) {
            if (loan != null) {
                if (loan.begun) {
                    loan.begun = false;
                    loan.offer.owesNoMore();
                    ledger.unpin(loan.group);
                    ledger.unpin(loan.shared.home);
                }
                lending.unmark(loan);
            }
        }
    }

    /**
     * Marks what {@code loan} is to be of, so that nobody joins; or has it tried again once its owner is alone.
     *
     * @return false if it can't be lent now
     */
    private boolean mark(Loan loan) {
        SharedGlobal shared = loan.shared;
        Loan known = Loan.of(shared.loan);
        if (known != null) {
            if (known.offer != loan.offer) {
                listed.crowded(loan.offer);
            }
            return known.begun && known.offer == loan.offer;
        }
        boolean waits = !loan.offer.withdrawn;
        boolean alone = shared.tryLend(loan, loan.offer.countAtWork(shared), waits);
        if (!alone && waits) {
            loan.offer.add(loan);
        } else if (!alone) {
            listed.crowded(loan.offer);
        }
        return alone;
    }
}
