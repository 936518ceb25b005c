/*
 * One key: the fast way and the slow one, the end of an idle group and its next life. No global limit.
 * Nodes are tasks; of those in ASYNC_TASKS the permit of concurrency goes back first and that of flight later.
 */
#ifndef TASKS
#define TASKS 4
#endif
#ifndef RETIREMENTS
#define RETIREMENTS 1
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef FLIGHT_LIMIT
#define FLIGHT_LIMIT 2
#endif
#ifndef ASYNC_TASKS
#define ASYNC_TASKS 0
#endif

#define NODES TASKS
#define GROUPS (RETIREMENTS + 1)    /* lives of the key's group */
#define KEY(g) 0
#include "engine.pml"

#define NONE GROUPS

byte map = NONE;        /* Groups.groups: the group of the key */
byte made;
byte arrived;           /* tasks are numbered as they come: they are alike */

/* Groups.group: putIfAbsent decides, and who loses throws his away. */
inline lookUp(g) {
    d_step {
        if
        :: map == NONE -> map = made; made++
        :: else
        fi;
        g = map
    }
}

/* Groups.forget: this very group only. */
inline forget(g) {
    d_step {
        if
        :: map == g -> map = NONE
        :: else
        fi
    }
}

#ifdef BUG_DEAD_UNSEEN
#define SEES_DEAD 0
#else
#define SEES_DEAD 1
#endif

#ifdef BUG_LOST_WAKEUP
#define HAS_ROOM(g) (!sawNone && len(queue[g]) == 0 && group[g].free > 0 && group[g].flight > 0)
#else
#define HAS_ROOM(g) (len(queue[g]) == 0 && group[g].free > 0 && group[g].flight > 0)
#endif

proctype Task(byte me) {
    byte g;
    byte batch;
    bit more;
    bit taken;
    bit met;    /* a dead group */
#ifdef BUG_LOST_WAKEUP
    bit sawNone;
#endif

    /* Admission.admit */
    arrived == me -> arrived++;
    do
    :: lookUp(g);
        tryTakeFast(g, taken);
        if
        :: taken -> d_step { taken = 0; work[me] = GRANTED; batch = BIT_OF(me) }; break
        :: else
        fi;
#ifdef BUG_LOST_WAKEUP
        sawNone = group[g].free <= 0 || group[g].flight <= 0;
#endif
        INSIDE(g,
            if
            :: group[g].dead && SEES_DEAD -> leave(g); met = 1
            :: (!group[g].dead || !SEES_DEAD) && HAS_ROOM(g) -> work[me] = GRANTED; take(g, 1); batch = BIT_OF(me)
            :: else -> queue[g]!me
            fi
        );
        if
        :: met -> met = 0; forget(g)
        :: else ->
#ifdef BUG_LOST_WAKEUP
            d_step { group[g].slow = len(queue[g]) > 0; unlockGuard(g) };
#else
            exit(g, batch);
#endif
            break
        fi
    od;
    carryOut(batch);

    /* Run.run and Run.finish */
    d_step { started & BIT_OF(me) -> work[me] = CLAIMED };
    if
    :: ASYNC_TASKS & BIT_OF(me) ->
        tryGiveBackFast(g, 1, 0, taken);
        if
        :: taken -> taken = 0
        :: else -> INSIDE(g, giveBack(g, 1, 0, 0)); exit(g, batch); carryOut(batch)
        fi;
        /* OpenStage.accept, when the stage completes */
        tryGiveBackFast(g, 0, 1, taken);
        if
        :: taken -> taken = 0
        :: else -> INSIDE(g, giveBack(g, 0, 1, 1)); exit(g, batch); carryOut(batch)
        fi
    :: else ->
        tryGiveBackFast(g, 1, 1, taken);
        if
        :: taken -> taken = 0
        :: else -> INSIDE(g, giveBack(g, 1, 1, 1)); exit(g, batch); carryOut(batch)
        fi
    fi;
    d_step { complete(me); g = 0 }
}

/* Group.retire: the idle list may pick any group at any time. */
proctype Retirer() {
    byte g;
    byte batch;
    bit more;
    byte left = RETIREMENTS;

    do
    :: left > 0 ->
        atomic {
            map != NONE || done == BIT_OF(TASKS) - 1 ->
            if
            :: map == NONE -> left = 0; goto end
            :: else -> g = map
            fi
        };
        INSIDE(g,
            if
            :: !group[g].dead && len(queue[g]) == 0 && group[g].free == LIMIT && group[g].flight == FLIGHT_LIMIT ->
                group[g].dead = 1
            :: else
            fi
        );
        if
        :: group[g].dead -> forget(g)
        :: else
        fi;
        exit(g, batch);
        left--
    :: else -> break
    od;
end:
    g = 0
}

init {
    byte i;

    d_step {
        nth = 0;
        do
        :: nth < GROUPS ->
            group[nth].limit = LIMIT;
            group[nth].flightLimit = FLIGHT_LIMIT;
            group[nth].free = LIMIT;
            group[nth].flight = FLIGHT_LIMIT;
            nth++
        :: else -> break
        od;
        nth = 0
    };
    atomic {
        run Retirer();
        do
        :: i < TASKS -> run Task(i); i++
        :: else -> i = 0; break
        od
    };
    _nr_pr == 1;
    d_step {
        assert(done == BIT_OF(TASKS) - 1);                  /* I2, I6 */
        assert(running[0] == 0 && flying[0] == 0);          /* I3 */
        if
        :: map != NONE -> assert(group[map].free == LIMIT && group[map].flight == FLIGHT_LIMIT)
        :: else
        fi
    }
}

ltl everyTaskEnds { <> (done == BIT_OF(TASKS) - 1) }
