/*
 * What a thread offers to its family while it waits (Offer), lent to one after the other, under a global limit. Node 0 has
 * its permits from the start. One of:
 *   FLAT     nodes 1 and 2 are forks of node 0 in its own group, node 3 a stranger there.
 *   SIDE     node 1 is a fork of node 0 in its own group, node 2 one in the other, node 3 a stranger in the other.
 *   CHAIN    node 1 is a fork of node 0 in the other group, node 2 one of node 1 in the group of node 0, node 3 a stranger.
 * A node with forks offers what it has, waits for them, and withdraws; IMPATIENT: at any time, and offers again then;
 * HURRIED: node 0 does.
 * RESIZES: the limit of the first group changes so often.
 * PAUSES: the first group is paused, and resumed later. GROWS: the global limit becomes one more.
 */
#define NONE 7
#define NODES 4
#define GROUPS 2
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef GLOBAL_LIMIT
#define GLOBAL_LIMIT 1
#endif
#ifndef RESIZES
#define RESIZES 0
#endif

#if defined(FLAT)
#define GROUP_OF(n) 0
#define SCOPE_OF(n) ((n) == 1 || (n) == 2 -> 0 : NONE)
#elif defined(SIDE)
#define GROUP_OF(n) ((n) < 2 -> 0 : 1)
#define SCOPE_OF(n) ((n) == 1 || (n) == 2 -> 0 : NONE)
#else
#define GROUP_OF(n) ((n) == 0 || (n) == 2 -> 0 : 1)
#define SCOPE_OF(n) ((n) == 1 -> 0 : ((n) == 2 -> 1 : NONE))
#endif

/* Node.stamp and its own compare-and-set: where it is in its wait. */
#define NEW 0
#define QUEUED 1
#define GRANTED 2
#define ENDED 3
byte work[NODES];

/* GroupState */
typedef Group {
    byte limit;
    short free;
    bit paused
}
Group group[GROUPS];
short globalFree;
byte globalLimit = GLOBAL_LIMIT;

/* Offer of a node: Families.offers, Offer.withdrawn, Offer.settled; to which groups it is known (a bit each). */
typedef Offer {
    bit made;
    bit withdrawn;
    bit settled;
    bit lacksGroup;     /* Loan.lacksConcurrency and the like, of the loan that has the group's permits */
    bit lacksGlobal;
    byte known
}
Offer offer[NODES];
/* Of a borrower: whose group permits, whose global permit it has. */
byte groupOf[NODES];
byte globalOf[NODES];

bit ledgerLocked;
bit more;
byte n;                 /* scratch of a critical section, as what follows */
byte o;
byte fromGroup;
byte fromGlobal;
bit lacking;

/* The witness: who is at work, without those that wait. */
byte running[GROUPS];
byte runningAll;
byte high[GROUPS];      /* the limit, or what was out when that shrank, until less is */
byte done;

inline lock() { atomic { !ledgerLocked -> ledgerLocked = 1 } }
inline unlock() { d_step { conserved(); ledgerLocked = 0 } }

/* What a node has: its group's permits, a global permit. */
#define hasGroup(m) (work[m] == GRANTED && !offer[m].lacksGroup)
#define hasGlobal(m) (work[m] == GRANTED && !offer[m].lacksGlobal)
#define outOf(g) ((hasGroup(0) && GROUP_OF(0) == g) + (hasGroup(1) && GROUP_OF(1) == g) + (hasGroup(2) && GROUP_OF(2) == g) \
        + (hasGroup(3) && GROUP_OF(3) == g))

#define mayRetake(m) (offer[m].made && offer[m].withdrawn && !offer[m].settled && (offer[m].lacksGlobal -> globalFree > 0 : \
        offer[m].lacksGroup && group[GROUP_OF(m)].free > 0))

/* I3: no permit is lost or made, at any time. */
inline conserved() {
    assert(group[0].free + outOf(0) == group[0].limit);
    assert(group[1].free + outOf(1) == group[1].limit);
    /* What an owner lacks who wants it back is not free. */
    assert(!mayRetake(0) && !mayRetake(1));
    assert(globalFree + hasGlobal(0) + hasGlobal(1) + hasGlobal(2) + hasGlobal(3) == globalLimit)
}

inline begins(m) {
    d_step {
        running[GROUP_OF(m)]++;
        runningAll++;
        assert(running[GROUP_OF(m)] <= high[GROUP_OF(m)] && runningAll <= globalLimit)     /* I1 */
    }
}
inline pauses(m) {
    d_step {
        running[GROUP_OF(m)]--;
        runningAll--;
        high[GROUP_OF(m)] = (running[GROUP_OF(m)] > group[GROUP_OF(m)].limit -> high[GROUP_OF(m)] : high[GROUP_OF(m)])
    }
}

/* What is withdrawn isn't lent to tasks of the scope itself, for which nobody waits any more. */
#if defined(BUG_LENDS_WHAT_IS_WITHDRAWN)
#define lends(of, m) (offer[of].made && work[of] == GRANTED)
#elif defined(BUG_LENDS_NOTHING_WITHDRAWN)
#define lends(of, m) (offer[of].made && work[of] == GRANTED && !offer[of].withdrawn)
#else
#define lends(of, m) (offer[of].made && work[of] == GRANTED && !offer[of].settled && (!offer[of].withdrawn || SCOPE_OF(m) != of))
#endif
#define hasRoom(g) (group[g].free > 0 && !group[g].paused)
#define isFamily(m, of) (SCOPE_OF(m) == (of) || (SCOPE_OF(m) != NONE && SCOPE_OF(m) != 0 && (of) == 0))
#define waitsIn(of, g) ((work[1] == QUEUED && GROUP_OF(1) == g && isFamily(1, of)) || (work[2] == QUEUED && GROUP_OF(2) == g && isFamily(2, of)))

/* Lending.settle */
inline settle(m) {
    if
    :: offer[m].withdrawn && !offer[m].lacksGroup && !offer[m].lacksGlobal -> offer[m].settled = 1; offer[m].known = 0
    :: else
    fi
}

/* Lending.tryReclaim */
inline reclaim(m) {
    if
    :: offer[m].made && offer[m].withdrawn && !offer[m].settled ->
        if
        :: offer[m].lacksGlobal && globalFree > 0 -> globalFree--; offer[m].lacksGlobal = 0
        :: else
        fi;
        if
        :: !offer[m].lacksGlobal && offer[m].lacksGroup && group[GROUP_OF(m)].free > 0 ->
            group[GROUP_OF(m)].free--;
            offer[m].lacksGroup = 0
        :: else
        fi;
        settle(m)
    :: else
    fi
}

/* Borrowing.grant: what is known to the group, nearest first. */
inline findLender(m, isGroup, found) {
    found = NONE;
    o = SCOPE_OF(m);
    do
    :: o != NONE && found == NONE ->
        if
#ifdef BUG_LENDS_TWICE
        :: lends(o, m) && (!isGroup || GROUP_OF(o) == GROUP_OF(m)) ->
#else
        :: lends(o, m) && (isGroup && GROUP_OF(o) == GROUP_OF(m) && !offer[o].lacksGroup || !isGroup && !offer[o].lacksGlobal) ->
#endif
            found = o
        :: else -> o = SCOPE_OF(o)
        fi
    :: else -> break
    od
}

inline grant(m, byGroup, byGlobal) {
    work[m] = GRANTED;
    groupOf[m] = byGroup;
    globalOf[m] = byGlobal;
    if
    :: byGroup != NONE -> offer[byGroup].lacksGroup = 1
    :: else -> group[GROUP_OF(m)].free--
    fi;
    if
    :: byGlobal != NONE -> offer[byGlobal].lacksGlobal = 1
    :: else -> globalFree--
    fi;
    more = 1
}

#define isKnown(m) (offer[0].known & (1 << GROUP_OF(m)) || offer[1].known & (1 << GROUP_OF(m)))

/* The first of a family that waits in a group; whether the ring has had its turn. */
inline grantOffered(m, last) {
    if
    :: !more && work[m] == QUEUED && isKnown(m) && SCOPE_OF(m) != NONE ->
        findLender(m, 1, fromGroup);
        findLender(m, 0, fromGlobal);
        if
        :: fromGroup != NONE && fromGlobal != NONE -> grant(m, fromGroup, fromGlobal)
#ifndef BUG_TAKES_NO_FREE_GLOBAL
        :: fromGroup != NONE && fromGlobal == NONE && last && globalFree > 0 -> grant(m, fromGroup, NONE)
#endif
        :: fromGroup == NONE && fromGlobal != NONE && last && globalFree <= 0 && hasRoom(GROUP_OF(m)) -> grant(m, NONE, fromGlobal)
        :: else
        fi
    :: else
    fi
}

inline grantHead(m) {
    if
    :: !more && work[m] == QUEUED && hasRoom(GROUP_OF(m)) && globalFree > 0 -> grant(m, NONE, NONE)
    :: else
    fi
}

/* I4, of what is offered: with the permits for it to be had, nobody of a family waits in a group that knows of them. */
inline witnessOffered(m) {
    findLender(m, 1, fromGroup);
    findLender(m, 0, fromGlobal);
    assert(!(work[m] == QUEUED && isKnown(m) && (fromGroup != NONE && (fromGlobal != NONE || globalFree > 0)
            || fromGlobal != NONE && hasRoom(GROUP_OF(m)))))
}

/* Ledger.drain */
inline drain() {
    d_step {
        do
        :: more = 0;
#ifndef BUG_RECLAIM_UNHEARD
            reclaim(0);
            reclaim(1);
#endif
            grantOffered(1, 0);
            grantOffered(2, 0);
            grantHead(1);
            grantHead(2);
            grantHead(3);
            grantOffered(1, 1);
            grantOffered(2, 1);
            if
            :: !more -> break
            :: else
            fi
        od;
        witnessOffered(1);
        witnessOffered(2);
        /* Lending.unregister */
        o = 0;
        do
        :: o < 2 ->
            if
            :: !waitsIn(o, 0) -> offer[o].known = offer[o].known & ~1
            :: else
            fi;
            if
            :: !waitsIn(o, 1) -> offer[o].known = offer[o].known & ~2
            :: else
            fi;
            o++
        :: else -> break
        od;
        o = 0;
        more = 0;
        fromGroup = 0;
        fromGlobal = 0
    }
}

/* Lending.register */
inline register(m, g) {
    lock();
    d_step {
        if
        :: offer[m].made && !offer[m].settled && waitsIn(m, g) -> offer[m].known = offer[m].known | (1 << g)
        :: else
        fi
    };
    drain();
    unlock()
}

/* Lending.offer: it is known to the family before its owner looks for what waits. */
inline makeOffer(m) {
    d_step { offer[m].made = 1; offer[m].withdrawn = 0; offer[m].settled = 0 };
#ifndef BUG_LOOKS_FIRST
    if
    :: waitsIn(m, 0) -> register(m, 0)
    :: else
    fi;
    if
    :: waitsIn(m, 1) -> register(m, 1)
    :: else
    fi
#endif
}

/* Lending.withdraw */
inline withdraw(m) {
    lock();
    d_step { offer[m].withdrawn = 1; settle(m) };
    drain();
    unlock();
    offer[m].settled;
    d_step { offer[m].made = 0 }
}

/* Returns.giveBack, Returns.handBack; or Group.giveBack */
inline end(m) {
    lock();
    d_step {
        work[m] = ENDED;
        group[GROUP_OF(m)].free++;
        globalFree++;
        if
        :: groupOf[m] != NONE && offer[groupOf[m]].lacksGroup ->
#ifndef BUG_FORGETS_HAND_BACK
            group[GROUP_OF(m)].free--;
            offer[groupOf[m]].lacksGroup = 0;
            settle(groupOf[m])
#endif
        :: else
        fi;
        if
        :: globalOf[m] != NONE && offer[globalOf[m]].lacksGlobal ->
            globalFree--;
            offer[globalOf[m]].lacksGlobal = 0;
            settle(globalOf[m])
        :: else
        fi;
        /* E13: at once, whatever waits. */
        assert(groupOf[m] == NONE || !offer[groupOf[m]].lacksGroup);
        assert(globalOf[m] == NONE || !offer[globalOf[m]].lacksGlobal);
        groupOf[m] = NONE;
        globalOf[m] = NONE
    };
    drain();
    unlock()
}

#define familyEnded(m) ((!isFamily(1, m) || work[1] == ENDED) && (!isFamily(2, m) || work[2] == ENDED))

proctype Node(byte me) {
    bit seen;

    if
    :: me != 0 ->
        SCOPE_OF(me) == NONE || work[SCOPE_OF(me)] == GRANTED;
        /* Group.admit */
        lock();
        d_step { work[me] = QUEUED };
        drain();
        unlock();
#ifndef BUG_NO_SECOND_LOOK
        /* Lending.queued */
        if
        :: SCOPE_OF(me) != NONE && offer[SCOPE_OF(me)].made -> register(SCOPE_OF(me), GROUP_OF(me))
        :: else
        fi;
        if
        :: SCOPE_OF(me) == 1 && offer[0].made -> register(0, GROUP_OF(me))
        :: else
        fi;
#endif
        work[me] != QUEUED
    :: else
    fi;

    if
    :: work[me] == GRANTED ->
        begins(me);
        seen = 1;
        if
        :: me == 0 || SCOPE_OF(2) == me ->
            /* It forks, and waits for them. */
            do
            :: !familyEnded(me) ->
                if
                :: seen -> pauses(me); seen = 0
                :: else
                fi;
                makeOffer(me);
                if
                :: familyEnded(me)
#if defined(IMPATIENT)
                :: true
#elif defined(HURRIED)
                :: me == 0
#endif
                fi;
                withdraw(me);
                /* O4 */
                assert(hasGroup(me) && hasGlobal(me));
                begins(me);
                seen = 1
#ifdef IMPATIENT
                ;
                if
                :: familyEnded(me)
                :: true
                fi
#endif
            :: familyEnded(me) -> break
            od
        :: else
        fi;
        if
        :: seen -> pauses(me); seen = 0
        :: else
        fi;
        end(me)
    :: else
    fi;
    done++
}

#if RESIZES > 0
proctype Resizer() {
    byte i;
    do
    :: i < RESIZES ->
        lock();
        d_step {
            if
            :: group[0].limit > 1 -> group[0].limit--; group[0].free--
            :: else -> group[0].limit++; group[0].free++;
                high[0] = (high[0] < group[0].limit -> group[0].limit : high[0])
            fi
        };
        drain();
        unlock();
        i++
    :: else -> break
    od
}
#endif

#ifdef GROWS
proctype Grower() {
    lock();
    d_step { globalLimit++; globalFree++ };
    drain();
    unlock()
}
#endif

#ifdef PAUSES
proctype Pauser() {
    lock();
    group[0].paused = 1;
    unlock();
    lock();
    group[0].paused = 0;
    drain();
    unlock()
}
#endif

init {
    byte i;
    atomic {
        do
        :: i < NODES -> groupOf[i] = NONE; globalOf[i] = NONE; i++
        :: else -> break
        od;
        group[0].limit = LIMIT;
        group[0].free = LIMIT - 1;
        high[0] = LIMIT;
        group[1].limit = 1;
        group[1].free = 1;
        high[1] = 1;
        globalFree = GLOBAL_LIMIT - 1;
        work[0] = GRANTED;
        i = 0;
        do
        :: i < NODES -> run Node(i); i++
        :: else -> break
        od;
#if RESIZES > 0
        run Resizer();
#endif
#ifdef GROWS
        run Grower();
#endif
#ifdef PAUSES
        run Pauser();
#endif
        i = 0
    };
    _nr_pr == 1;
    d_step {
        assert(done == NODES);
        assert(group[0].free == group[0].limit && group[1].free == 1 && globalFree == globalLimit);
        assert(running[0] == 0 && running[1] == 0 && runningAll == 0 && offer[0].known == 0 && offer[1].known == 0)
    }
}

ltl everyTaskEnds { <> (done == NODES) }
