/*
 * What the engine does not do (docs/adr/0048-loans-stay.md): an owner that waits for a fork puts permits back and lets the
 * fork go first; once the fork has ended, the owner takes them again, ahead of everybody. Two threads enter the same two
 * groups, whose limits are one, and each waits inside for a fork of its own, which comes at any time (QUEUED: is there).
 *
 * LOANS          what the engine does: an owner keeps its permits, and its fork runs on them
 * KEEPS_OTHERS   it puts back the permit that the fork needs, and keeps the other
 * IN_ORDER       it puts back all, and takes them again one by one, in the order in which it took them
 * AT_ONCE        it puts back all, and takes them again together; meanwhile nobody else gets any of them
 *
 * GATED          both enter a third group first, and then the two in opposite order
 * ONE_BY_ONE     asserts that a thread enters a group only once the one before has left it
 */
#define GATE 0
#define GROUPS 3

bit taken[GROUPS];
byte forks[GROUPS];     /* that wait; they go first */
byte claims[GROUPS];    /* of owners that want their permits again; they go before all */
byte entered[GROUPS];   /* the witness: threads that have entered, and not left; forks don't count */

bit waits[2];
bit forked[2];          /* the fork has ended */

#ifdef GATED
#define outer(id) (1 + id)
#define inner(id) (2 - id)
#else
#define outer(id) 1
#define inner(id) 2
#endif

inline enter(group) {
    atomic {
        !taken[group] && forks[group] == 0 && claims[group] == 0 -> taken[group] = 1;
        entered[group]++;
#ifdef ONE_BY_ONE
        assert(entered[group] == 1)
#endif
    }
}

inline leaveGroup(group) { d_step { assert(taken[group]); taken[group] = 0; entered[group]-- } }

inline takeAgain(group) {
    claims[group]++;
    atomic { !taken[group] -> taken[group] = 1; claims[group]-- }
}

proctype Owner(bit id) {
#ifdef GATED
    enter(GATE);
#endif
    enter(outer(id));
    enter(inner(id));

    d_step {
        waits[id] = 1;
#ifndef LOANS
#ifdef QUEUED
        forks[outer(id)]++;
#endif
        taken[outer(id)] = 0;
#ifndef KEEPS_OTHERS
        taken[inner(id)] = 0;
#ifdef GATED
        taken[GATE] = 0
#endif
#endif
#endif
    };
    forked[id];
#ifdef KEEPS_OTHERS
    takeAgain(outer(id));
#endif
#ifdef IN_ORDER
#ifdef GATED
    takeAgain(GATE);
#endif
    takeAgain(outer(id));
    takeAgain(inner(id));
#endif
#ifdef AT_ONCE
    d_step { claims[GATE]++; claims[1]++; claims[2]++ };
    atomic {
        !taken[GATE] && !taken[1] && !taken[2] ->
        taken[1] = 1;
        taken[2] = 1;
#ifdef GATED
        taken[GATE] = 1;
#endif
        claims[GATE]--;
        claims[1]--;
        claims[2]--
    };
#endif

    leaveGroup(inner(id));
    leaveGroup(outer(id));
#ifdef GATED
    leaveGroup(GATE)
#endif
}

/* Of the group that its owner entered first. */
proctype Fork(bit id) {
    waits[id];
#ifndef LOANS
#ifndef QUEUED
    forks[outer(id)]++;
#endif
    atomic { !taken[outer(id)] -> taken[outer(id)] = 1; forks[outer(id)]-- };
    taken[outer(id)] = 0;
#endif
    forked[id] = 1
}

init {
    atomic {
        run Owner(0);
        run Fork(0);
        run Owner(1);
        run Fork(1)
    }
    _nr_pr == 1 -> assert(!taken[0] && !taken[1] && !taken[2])
}
