/*
 * The end of the executor or of a group, against submits that come at the same time. One of:
 *   FORCED        shutdown(): what waits is cancelled, what runs is interrupted; a task's code ends only then
 *   DRAINED       shutdown(Duration) with time enough: all tasks end by themselves
 *   TIMED         shutdown(Duration) whose time may be up: then as FORCED
 *   GROUP_STOPPED shutdownGroup(key): the code of what was granted before ends only if it is interrupted
 */
#ifndef GROUPS
#define GROUPS 2
#endif
#ifndef PER_GROUP
#define PER_GROUP 1     /* tasks */
#endif
#define LIMIT 1
#define NODES (GROUPS * PER_GROUP)
#define SWITCHING
#define SIGNAL_QUIET() if :: on && !more && inFlight == 0 -> quietSignalled = 1 :: else fi
#define WITNESS_OVER() assert(!terminated)

#define RUNNING 0
#define DRAINING 1
#define SHUT_DOWN 2
byte state;             /* Stage.state */    
bit forced;             /* Stage.forced */
bit quietSignalled;     /* Ledger.quiet */
bit terminated;         /* somebody has seen isTerminated() say yes */

#include "engine.pml"

byte known;             /* bit per group: it is in Groups.groups */
byte arrived[GROUPS];   /* tasks of one group are numbered as they come: they are alike */
bit epoch[GROUPS];      /* GroupWaits.stopEpoch */
byte grantedIn;         /* bit per task: Run.stopEpoch */
byte registered;        /* bit per task: its run is in Holds */
byte interrupted;       /* bit per task: its code is interrupted */
byte refused;           /* bit per task: submit threw, or its handle was cancelled at once */

#define waiting (len(queue[0]) + len(queue[GROUPS - 1]) * (GROUPS > 1))
#define isQuiet (waiting == 0 && inFlight == 0)

#ifdef BUG_NO_SECOND_LOOK
#define isStopped(me, g) 0
#else
#define isStopped(me, g) (epoch[g] != ((grantedIn >> (me)) & 1) || (state == SHUT_DOWN && forced))
#endif

#if defined(DRAINED)
#define ENDS_BY_ITSELF(me, g) 1
#elif defined(GROUP_STOPPED)
#define ENDS_BY_ITSELF(me, g) (g != 0 || ((grantedIn >> (me)) & 1))
#else
#define ENDS_BY_ITSELF(me, g) 0
#endif

/* What a section grants gets the epoch of its group (Run.of), which only the holder of its guard changes. A section of
 * one group grants in another only under a global limit, and none is set here. */
inline exitNotingEpochs(g) {
    d_step {
        do
        :: exitOnce(g, batch);
            if
            :: more -> more = 0
            :: else -> break
            fi
        od;
        if
        :: epoch[g] -> grantedIn = grantedIn | (batch & ~started)
        :: else
        fi;
        leave(g)
    }
}

proctype Task(byte me) {
    byte g = me / PER_GROUP;
    byte batch;
    bit more;
    bit taken;
    bit guardRead;

    /* Engine.requireAdmits, Groups.group and the epoch */
    atomic { arrived[g] == me % PER_GROUP -> arrived[g]++;
        if
        :: state != RUNNING -> refused = refused | BIT_OF(me); goto end
        :: else
        fi
    };
    known = known | BIT_OF(g);
    taken = epoch[g];
    d_step {
        if
        :: taken -> grantedIn = grantedIn | BIT_OF(me)
        :: else
        fi;
        taken = 0
    };
    tryTakeFast(g, taken);
    if
    :: taken -> d_step { taken = 0; work[me] = GRANTED; batch = BIT_OF(me) }
    :: else ->
        /* Group.admit */
        enter(g);
        d_step {
#ifndef BUG_STATE_SEEN_OUTSIDE
            if
            :: state != RUNNING -> refused = refused | BIT_OF(me); work[me] = CLAIMED
            :: else ->
#endif
                if
                :: len(queue[g]) == 0 && group[g].free > 0 && (!group[g].attached || globalFree > 0) ->
                    work[me] = GRANTED;
                    take(g, 1);
                    batch = BIT_OF(me);
                    if
                    :: epoch[g] -> grantedIn = grantedIn | BIT_OF(me)
                    :: else -> grantedIn = grantedIn & ~BIT_OF(me)
                    fi
                :: else -> queue[g]!me; grantedIn = grantedIn & ~BIT_OF(me)
                fi
#ifndef BUG_STATE_SEEN_OUTSIDE
            fi
#endif
        };
        exitNotingEpochs(g)
    fi;
    carryOut(batch);
    if
    :: refused & BIT_OF(me) -> goto end
    :: else
    fi;

    started & BIT_OF(me);
    if
    :: work[me] == ENDED -> work[me] = CLAIMED
    :: work[me] == GRANTED ->
        registered = registered | BIT_OF(me);
        /* Run.run */
        d_step {
            if
            :: isStopped(me, g) -> interrupted = interrupted | BIT_OF(me)
            :: else
            fi
        };
        (interrupted & BIT_OF(me)) || ENDS_BY_ITSELF(me, g);
        work[me] = CLAIMED;
        tryGiveBackFast(g, 1, 1, taken);
        if
        :: taken -> taken = 0
        :: else ->
            enter(g);
            d_step { giveBack(g, 1, 1, 1) };
            exitNotingEpochs(g);
            carryOut(batch)
        fi
    fi;
end:
    d_step { complete(me); g = 0 }
}

/* GroupWaits.endQueued */
inline endQueued(g) {
    do
    :: len(queue[g]) > 0 ->
        queue[g]?node;
        assert(work[node] == WAITING);
        work[node] = ENDED;
        batch = batch | BIT_OF(node)
    :: else -> break
    od
}

/* Work.interruptRuns */
inline interruptRuns(from, to) {
    i = from;
    do
    :: i < to ->
        d_step {
            if
            :: registered & BIT_OF(i) -> interrupted = interrupted | BIT_OF(i)
            :: else
            fi;
            i++
        }
    :: else -> i = 0; break
    od
}

/* Ledger.watch: each group in a critical section of its own */
inline watch() {
#ifndef BUG_NOT_TURNED_ON
    lockLedger();
    on = 1;
    unlockLedger();
    i = 0;
    do
    :: i < GROUPS ->
        if
        :: known & BIT_OF(i) -> lockLedger(); attach(i); unlockLedger()
        :: else
        fi;
        i++
    :: else -> i = 0; break
    od
#else
    skip
#endif
}

/* Lifecycle.backlog: on a thread of its own */
proctype Backlog() {
    byte batch;
    bit more;
    bit guardRead;
    byte i;

    do
    :: i < GROUPS ->
        if
        :: known & BIT_OF(i) ->
            enter(i);
            d_step { endQueued(i) };
            exitNotingEpochs(i);
            carryOut(batch)
        :: else
        fi;
        i++
    :: else -> break
    od
}

/* Lifecycle.end(true) */
inline endByForce() {
    if
    :: state == RUNNING -> watch()
    :: else
    fi;
    lockLedger();
    forced = !isQuiet;
    state = SHUT_DOWN;
    unlockLedger();
    if
    :: forced -> run Backlog(); interruptRuns(0, NODES)
    :: else
    fi
}

proctype Ender() {
    byte batch;
    bit more;
    bit guardRead;
    byte i;

#if defined(GROUP_STOPPED)
    /* Control.shutdownGroup */
    known & BIT_OF(0);
    enter(0);
    epoch[0] = 1;
    d_step { endQueued(0) };
    exitNotingEpochs(0);
    carryOut(batch);
    interruptRuns(0, PER_GROUP)
#elif defined(FORCED)
    endByForce()
#else
    /* Lifecycle.shutdown(Duration) */
    watch();
    lockLedger();
    state = DRAINING;
    unlockLedger();
    lockLedger();
    do
    :: isQuiet -> state = SHUT_DOWN; unlockLedger(); assert(flyingAll == 0 && !forced); break
    :: !isQuiet -> quietSignalled = 0; unlockLedger();
        if
        :: quietSignalled; lockLedger()
#ifdef TIMED
        :: lockLedger();
            if
            :: isQuiet -> state = SHUT_DOWN; unlockLedger()
            :: !isQuiet -> unlockLedger(); endByForce()
            fi;
            break
#endif
        fi
    od
#endif
}

/* Lifecycle.isTerminated: once it says yes, nothing starts any more. */
proctype Observer() {
    byte more;

    state == SHUT_DOWN || done == BIT_OF(NODES) - 1;
    lockLedger();
    terminated = state == SHUT_DOWN && isQuiet;
    unlockLedger()
}

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
#ifdef BUG_BORN_FAST
            group[nth].slow = 0;
#endif
            nth++
        :: else -> nth = 0; break
        od
    };
    atomic {
        do
        :: i < NODES -> run Task(i); i++
        :: else -> i = 0; break
        od;
        run Ender();
        run Observer()
    };
    _nr_pr == 1;
    atomic {
        assert(done == BIT_OF(NODES) - 1);                  /* I2, I6: run, cancelled or refused, each once */
        do
        :: i < GROUPS ->
            assert(running[i] == 0 && flying[i] == 0);      /* I3 */
            assert(group[i].free == LIMIT && group[i].flight == LIMIT && len(queue[i]) == 0);
            i++
        :: else -> break
        od;
        assert(flyingAll == 0 && inFlight == 0)
    }
}

ltl everyTaskEnds { <> (done == BIT_OF(NODES) - 1) }
