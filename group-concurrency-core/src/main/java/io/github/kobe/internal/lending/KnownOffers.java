package io.github.kobe.internal.lending;

import io.github.kobe.internal.permits.Node;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * The offers for what waits in one group. Guarded by the ledger's lock.
 *
 * <p>Those whose owners are inside the group help also where the group has no room, since the owner's permits of the
 * group can be lent. The others help only where it has room, or where one of the first kind helps too.
 */
final class KnownOffers {

    private final LinkedHashSet<Offer> ofInsiders = new LinkedHashSet<>();
    private final LinkedHashSet<Offer> ofOutsiders = new LinkedHashSet<>();

    /** Those for one node alone, by that. */
    private final IdentityHashMap<Node, List<Offer>> forOne = new IdentityHashMap<>();

    boolean isEmpty() {
        return ofInsiders.isEmpty() && ofOutsiders.isEmpty();
    }

    boolean isAnyOfInsider() {
        return !ofInsiders.isEmpty();
    }

    boolean has(Offer offer) {
        return ofInsiders.contains(offer) || ofOutsiders.contains(offer);
    }

    /** Adds an offer, of an owner who is inside the group or not; that stays so. If it fails, nothing has come of it. */
    void add(Offer offer, boolean inside) {
        boolean added = false;
        try {
            (inside ? ofInsiders : ofOutsiders).add(offer);
            if (offer.only != null) {
                forOne.computeIfAbsent(offer.only, node -> new ArrayList<>(1)).add(offer);
            }
            added = true;
        } finally {
            if (!added) {
                remove(offer);
            }
        }
    }

    /** It needs no memory. */
    void remove(Offer offer) {
        ofInsiders.remove(offer);
        ofOutsiders.remove(offer);
        List<Offer> same = offer.only == null ? null : forOne.get(offer.only);
        if (same != null) {
            same.remove(offer);
            if (same.isEmpty()) {
                forOne.remove(offer.only);
            }
        }
    }

    /** {@return the offers for {@code node} alone} */
    List<Offer> forOnly(Node node) {
        List<Offer> known = forOne.get(node);
        return known == null ? List.of() : known;
    }

    /** {@return those whose owners are inside the group, in whose turn they are: who has been tried goes to the end} */
    SequencedSet<Offer> ofInsiders() {
        return ofInsiders;
    }

    /** {@return the others, likewise} */
    SequencedSet<Offer> ofOutsiders() {
        return ofOutsiders;
    }
}
