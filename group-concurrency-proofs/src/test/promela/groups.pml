/*
 * Several groups and the global limit: whose turn it is (WEIGHTED, RING_WITNESS), the limit set and taken back while
 * work is on (SWITCHING), limits of a group raised and lowered (RESIZES).
 */
#ifndef GROUPS
#define GROUPS 2
#endif
#ifndef PER_GROUP
#define PER_GROUP 2     /* tasks */
#endif
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef RESIZES
#define RESIZES 0
#endif

#ifdef GLOBAL_LIMIT
#define ALWAYS_ATTACHED
#endif
#define NODES (GROUPS * PER_GROUP)
#include "engine.pml"

byte arrived[GROUPS];   /* tasks of one group are numbered as they come: they are alike */

proctype Task(byte me) {
    byte g = me / PER_GROUP;
    BITS batch;
    bit more;
#ifndef ALWAYS_ATTACHED
    bit taken;
#endif
#ifdef SWITCHING
    bit guardRead;
#endif

#ifdef ALWAYS_ATTACHED
    /* Numbered as they come in: Group.admit. */
    atomic {
        arrived[g] == me % PER_GROUP && guardIsFree(g) -> arrived[g]++;
        SECTION(g, batch,
            if
            :: len(queue[g]) == 0 && group[g].free > 0 && globalFree > 0 ->
                work[me] = GRANTED; take(g, 1); batch = BIT_OF(me)
            :: else -> queue[g]!me
            fi
        )
    };
    carryOut(batch);

    /* Run.finish */
    atomic { (started & BIT_OF(me)) && guardIsFree(g) -> work[me] = CLAIMED; SECTION(g, batch, giveBack(g, 1, 1, 1)) };
    carryOutAndComplete(batch, me)
#else
    /* Admission.admit */
    arrived[g] == me % PER_GROUP -> arrived[g]++;
    tryTakeFast(g, taken);
    if
    :: taken -> d_step { taken = 0; work[me] = GRANTED; batch = BIT_OF(me) }
    :: else ->
        SECTION(g, batch,
            if
            :: len(queue[g]) == 0 && group[g].free > 0 && (!group[g].attached || globalFree > 0) ->
                work[me] = GRANTED; take(g, 1); batch = BIT_OF(me)
            :: else -> queue[g]!me
            fi
        )
    fi;
    carryOut(batch);

    /* Run.run and Run.finish */
    d_step { started & BIT_OF(me) -> work[me] = CLAIMED };
    tryGiveBackFast(g, 1, 1, taken);
    if
    :: taken -> taken = 0; complete(me)
    :: else -> SECTION(g, batch, giveBack(g, 1, 1, 1)); carryOutAndComplete(batch, me)
    fi
#endif
}

/* Ledger.setLimits */
inline setGlobalLimit(size) {
    lockLedger();
    d_step {
        globalFree = globalFree + size - globalLimit;
        globalLimit = size;
        on = size != UNLIMITED;
        if
        :: size > globalInForce -> globalInForce = size
        :: else
        fi
    };
    if
    :: size != UNLIMITED ->
        i = 0;
        do
#ifdef BUG_ATTACHES_ONE
        :: i < 1 -> attach(i); i++
#else
        :: i < GROUPS -> attach(i); i++
#endif
        :: else -> i = 0; break
        od
    :: else
    fi;
    skip;
    d_step {
        globalInForce = size;
        do
        :: drainOnce(batch);
            if
            :: more -> more = 0
            :: else -> break
            fi
        od
    };
    unlockLedger();
    carryOut(batch)
}

#ifdef FIRST_GLOBAL_LIMIT
proctype GlobalControl() {
    BITS batch;
    bit more;
    byte i;

    setGlobalLimit(FIRST_GLOBAL_LIMIT);
    setGlobalLimit(SECOND_GLOBAL_LIMIT)
}
#endif

/* GroupWaits.override: raises or lowers both limits of a group. */
inline setLimits(g, size) {
    INSIDE(g,
#ifdef BUG_SHRINK_FORGETS_WHAT_IS_OUT
        group[g].free = size;
        group[g].flight = size;
#else
        group[g].free = group[g].free + size - group[g].limit;
        group[g].flight = group[g].flight + size - group[g].flightLimit;
#endif
        group[g].limit = size;
        group[g].flightLimit = size
    );
#ifdef BUG_GROWS_WITHOUT_A_LOOK
    d_step { leave(g) };
#else
    exit(g, batch);
#endif
    carryOut(batch)
}

#if RESIZES
proctype Control(byte g) {
    BITS batch;
    bit more;
    byte left = RESIZES;
    byte size;
#ifdef SWITCHING
    bit guardRead;
#endif

    do
    :: left > 0 ->
        if
        :: size = 1
        :: size = 2
        fi;
        setLimits(g, size);
        left--
    :: else -> break
    od;
    size = 0
}
#endif

init {
    byte i;

    d_step {
        nth = 0;
        do
        :: nth < GROUPS ->
            group[nth].limit = LIMIT;
            group[nth].flightLimit = LIMIT;
            group[nth].free = LIMIT;
            group[nth].flight = LIMIT;
#ifdef WEIGHTED
            group[nth].weight = (nth == 0 -> FIRST_WEIGHT : 1);
#endif
#ifdef ALWAYS_ATTACHED
            group[nth].attached = 1;
#endif
            nth++
        :: else -> nth = 0; break
        od;
#ifdef ALWAYS_ATTACHED
        on = 1;
        globalLimit = GLOBAL_LIMIT;
        globalInForce = GLOBAL_LIMIT;
        globalFree = GLOBAL_LIMIT
#endif
    };
    atomic {
        do
        :: i < NODES -> run Task(i); i++
        :: else -> i = 0; break
        od;
#ifdef FIRST_GLOBAL_LIMIT
        run GlobalControl();
#endif
#if RESIZES
        run Control(0)
#endif
    };
    _nr_pr == 1;
    atomic {
        assert(done == BIT_OF(NODES) - 1);                      /* I2, I6 */
        do
        :: i < GROUPS ->
            assert(running[i] == 0 && flying[i] == 0);          /* I3 */
            assert(group[i].free == group[i].limit && group[i].flight == group[i].flightLimit);
            i++
        :: else -> break
        od;
        assert(flyingAll == 0);
        assert(inFlight == 0 && globalFree == globalLimit);
        assert(len(ring) == 0)
    }
}

ltl everyTaskEnds { <> (done == BIT_OF(NODES) - 1) }
