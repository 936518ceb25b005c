/*
 * One group, and nodes of all three kinds that may leave at any time: a task may be cancelled, a caller interrupted or
 * out of its own time, a permit's future cancelled; the group's time-out ends whoever waits. Each leaves by one
 * compare-and-set, and the permit goes to exactly one of them.
 */
#ifndef TASKS
#define TASKS 2
#endif
#ifndef CALLERS
#define CALLERS 1
#endif
#ifndef FUTURES
#define FUTURES 1
#endif
#ifndef CANCELS
#define CANCELS 1       /* attempts to cancel a task */
#endif
#ifndef LIMIT
#define LIMIT 1
#endif

#define NODES (TASKS + CALLERS + FUTURES)
#define GROUPS 1
#define G 0
#define LEFT_MEANWHILE
byte late;              /* bit per node: its time is up */
#define TIME_IS_UP(n) (late & BIT_OF(n))
#include "engine.pml"

byte arrived[3];        /* nodes of one kind are alike: they are numbered as they come */
byte submitted;         /* bit per node: whoever asked has his handle or future */
byte used;              /* bit per node: its code ran, its permit was handed out */

/* Group.admit, unless the fast way will do; batch then says who starts. */
inline admit(me) {
    tryTakeFast(G, taken);
    if
    :: taken -> d_step { taken = 0; work[me] = GRANTED; batch = BIT_OF(me) }
    :: else ->
        INSIDE(G,
            if
            :: len(queue[G]) == 0 && group[G].free > 0 -> work[me] = GRANTED; take(G, 1); batch = BIT_OF(me)
            :: else -> queue[G]!me
            fi
        );
        exit(G, batch)
    fi;
    d_step { started = started | batch; batch = 0; submitted = submitted | BIT_OF(me) }
}

/* Group.withdraw */
inline withdraw(me) {
    INSIDE(G,
        if
        :: queue[G]??[eval(me)] -> queue[G]??eval(me)
        :: else
        fi
    );
    exit(G, batch);
    carryOut(batch)
}

inline giveBackAll() {
    tryGiveBackFast(G, 1, 1, taken);
    if
    :: taken -> taken = 0
    :: else -> INSIDE(G, giveBack(G, 1, 1, 1)); exit(G, batch); carryOut(batch)
    fi
}

/* What a permit is for. */
inline use(me) {
    d_step { assert(!(used & BIT_OF(me)) && !(done & BIT_OF(me))); used = used | BIT_OF(me) }
}

/* The submitter, then the task's thread, or the one that reports its end. */
proctype Task(byte me) {
    byte batch;
    bit more;
    bit taken;

    arrived[0] == me -> arrived[0]++;
    admit(me);
    if
    :: started & BIT_OF(me) ->
        if
        :: work[me] == ENDED -> work[me] = CLAIMED; complete(me)
        :: else ->
            if
            :: atomic { work[me] == GRANTED -> used = used | BIT_OF(me) }
            :: work[me] == CANCELLED_RUN        /* its code doesn't run */
            fi;
            /* Run.finish */
            if
            :: atomic { work[me] == GRANTED -> work[me] = CLAIMED }; giveBackAll(); complete(me)
            :: atomic { work[me] == CANCELLED_RUN -> work[me] = CLAIMED }; giveBackAll()
            fi
        fi
    :: atomic { !(started & BIT_OF(me)) && work[me] == CLAIMED }
    fi
}

/* Task.cancel, by anyone who has the handle, of any task at any time or never. */
proctype TaskCanceller() {
    byte me;
    byte batch;
    bit more;

    select (me : 0 .. TASKS - 1);
    submitted & BIT_OF(me);
    if
#ifdef BUG_CANCEL_CHECKS_THEN_ACTS
    :: work[me] == WAITING -> work[me] = CLAIMED; withdraw(me); complete(me)
#else
    :: atomic { work[me] == WAITING -> work[me] = CLAIMED }; withdraw(me); complete(me)
#endif
    :: atomic { work[me] == GRANTED -> work[me] = CANCELLED_RUN }; complete(me)
    :: skip
    fi
}

/* Waiter.await; it may be interrupted, or its own time be up, at any time. */
proctype Caller(byte me) {
    byte batch;
    bit more;
    bit taken;

    arrived[1] == me - TASKS -> arrived[1]++;
    admit(me);
    if
    :: (started & BIT_OF(me)) && work[me] != WAITING
    :: work[me] == GRANTED          /* looked at before it parks */
    :: !(started & BIT_OF(me)) ->   /* leaves */
        if
        :: atomic { work[me] == WAITING -> work[me] = CLAIMED }; withdraw(me)
        :: atomic { work[me] == GRANTED ->
#ifndef BUG_INTERRUPTED_KEEPS
            skip }; INSIDE(G, giveBack(G, 1, 1, 1)); exit(G, batch); carryOut(batch)
#else
            skip }
#endif
            ; atomic { work[me] = CLAIMED }
        :: work[me] == GRANTED      /* its own time was up, but it was granted before: it takes it */
        :: work[me] == ENDED
        fi
    fi;
    if
    :: work[me] == GRANTED -> use(me); giveBackAll()
    :: else
    fi;
    complete(me)
}

/* PermitFuture: the asking thread, then whichever completes the future. */
proctype Future(byte me) {
    byte batch;
    bit more;
    bit taken;

    arrived[2] == me - TASKS - CALLERS -> arrived[2]++;
    admit(me);
    if
    :: (started & BIT_OF(me)) && work[me] == GRANTED ->
        if
        :: atomic { !(done & BIT_OF(me)) -> done = done | BIT_OF(me); used = used | BIT_OF(me) }
        :: done & BIT_OF(me)        /* cancelled meanwhile: completeWithPermit closes it */
        fi;
#ifdef BUG_FUTURE_KEEPS
        if
        :: used & BIT_OF(me) -> giveBackAll()
        :: else
        fi
#else
        giveBackAll()
#endif
    :: (started & BIT_OF(me)) && work[me] == ENDED -> done = done | BIT_OF(me)
    :: atomic { !(started & BIT_OF(me)) && work[me] == CLAIMED }
    fi
}

/* Cancellable.cancel, then PermitFuture.leave. */
proctype FutureCanceller(byte me) {
    byte batch;
    bit more;

    submitted & BIT_OF(me);
    if
    :: atomic { !(done & BIT_OF(me)) -> done = done | BIT_OF(me) };
        if
        :: atomic { work[me] == WAITING -> work[me] = CLAIMED }; withdraw(me)
        :: work[me] != WAITING
        fi
    :: skip
    fi
}

/* Time passes for a node, and the housekeeper looks after it: GuardedGroup.expireOne. Meanwhile grants see it, too. */
proctype Clock(byte me) {
    byte batch;
    bit more;

    late = late | BIT_OF(me);
    INSIDE(G,
        if
        :: queue[G]??[eval(me)] ->
            queue[G]??eval(me);
            if
            :: work[me] == WAITING -> work[me] = ENDED; batch = BIT_OF(me)
            :: else
            fi
        :: else
        fi
    );
    exit(G, batch);
    carryOut(batch)
}

init {
    byte i;

    d_step {
        group[G].limit = LIMIT;
        group[G].flightLimit = LIMIT;
        group[G].free = LIMIT;
        group[G].flight = LIMIT
    };
    atomic {
        do
        :: i < TASKS -> run Task(i); i++
        :: i >= TASKS && i < TASKS + CALLERS -> run Caller(i); i++
        :: i >= TASKS + CALLERS && i < NODES -> run Future(i); run FutureCanceller(i); i++
        :: i == NODES -> i = 0; break
        od;
        do
        :: i < CANCELS -> run TaskCanceller(); i++
        :: else -> i = 0; break
        od;
#ifdef TIMED
        if
        :: run Clock(0)
        :: run Clock(TASKS)
        :: run Clock(NODES - 1)
        fi
#endif
    };
    _nr_pr == 1;
    d_step {
        assert(done == BIT_OF(NODES) - 1);                              /* I2, I6 */
        assert(running[G] == 0 && flying[G] == 0);                      /* I3 */
        assert(group[G].free == LIMIT && group[G].flight == LIMIT && len(queue[G]) == 0 && !group[G].slow)
    }
}

ltl everyTaskEnds { <> (done == BIT_OF(NODES) - 1) }
