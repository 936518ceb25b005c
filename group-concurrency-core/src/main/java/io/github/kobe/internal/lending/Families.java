package io.github.kobe.internal.lending;

import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.base.Removal;
import io.github.kobe.internal.permits.Group;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * For each scope with waiting nodes or an offer: the groups in which its nodes wait, and the offer.
 *
 * <p>A queued node is entered here before its thread looks for offers, and an offer before its owner looks for queued
 * nodes. So at least one of them sees the other.
 *
 * <p>Its lock is a leaf. Removing an entry needs no memory.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Families {

    private static final class Family {
        /** In which something of it waits. */
        final Set<Group> groups = new LinkedHashSet<>();

        @Nullable
        Offer offer;

        boolean isForgotten() {
            return offer == null && groups.isEmpty();
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final IdentityHashMap<Lineage, Family> families = new IdentityHashMap<>();

    /** How many offers there are; written under the lock. */
    private volatile int offers;

    /** {@return whether anything is offered to any family} */
    boolean isAnyOffered() {
        return offers > 0;
    }

    /** Something of the family of {@code scope} waits in {@code group}, which nothing did before; under the group's guard. */
    void queued(Lineage scope, Group group) {
        lock.lock();
        boolean told = false;
        try {
            family(scope).groups.add(group);
            told = true;
        } finally {
            if (!told) {
                leave(scope, group); // a map that finds no memory to grow may have the entry all the same
            }
            lock.unlock();
        }
    }

    private Family family(Lineage scope) {
        Family known = families.get(scope);
        if (known == null) {
            known = new Family();
            families.put(scope, known);
        }
        return known;
    }

    /** Nothing of the family of {@code scope} waits in {@code group} any more; under the group's guard. */
    void left(Lineage scope, Group group) {
        lock.lock();
        try {
            leave(scope, group);
        } finally {
            lock.unlock();
        }
    }

    private void leave(Lineage scope, Group group) {
        Family family = families.get(scope);
        if (family != null) {
            Removal.from(family.groups, group);
            forgetIfEmpty(scope, family);
        }
    }

    private void forgetIfEmpty(Lineage scope, Family family) {
        if (family.isForgotten()) {
            families.remove(scope);
        }
    }

    /**
     * Has {@code offer} be known to its family.
     *
     * @return the groups in which something of it waits
     * @throws IllegalStateException if another one is
     */
    List<Group> add(Lineage scope, Offer offer) {
        lock.lock();
        try {
            Family family = family(scope);
            if (family.offer != null) {
                throw new IllegalStateException("Something is offered to this family already");
            }
            List<Group> groups = new ArrayList<>(family.groups);
            family.offer = offer;
            count(1);
            return groups;
        } finally {
            Family family = families.get(scope);
            if (family != null) {
                forgetIfEmpty(scope, family);
            }
            lock.unlock();
        }
    }

    private void count(int more) {
        int next = offers + more;
        offers = next;
    }

    void remove(Lineage scope, Offer offer) {
        lock.lock();
        try {
            Family family = families.get(scope);
            if (family != null && family.offer == offer) {
                family.offer = null;
                count(-1);
                forgetIfEmpty(scope, family);
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@return what is offered to the family of {@code scope}} */
    @Nullable
    Offer offerTo(Lineage scope) {
        if (offers == 0) {
            return null;
        }
        lock.lock();
        try {
            Family family = families.get(scope);
            return family == null ? null : family.offer;
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether it knows of none; for tests} */
    boolean isEmpty() {
        lock.lock();
        try {
            return families.isEmpty() && offers == 0;
        } finally {
            lock.unlock();
        }
    }
}
