/*
 * The engine's shared state and its critical sections, shared by all configurations beside it.
 * docs/internals/verification/model.md says which step stands for which line of the engine.
 *
 * One step is one compare-and-set, one volatile access, or a piece of a critical section with at most one of those in
 * it; between two steps everybody else may go on. A configuration defines before it includes this file:
 *   GROUPS, NODES    how many; a node is a task, a caller or a permit's future
 *   LEFT_MEANWHILE   if nodes may leave while a section grants: then each grant is a step of its own
 *   ALWAYS_ATTACHED  if a global limit is in force from the start to the end
 *   SWITCHING        if the guard of a group may change: then entering is modelled in full
 *   LENDING          if there are loans and nested callers
 *   RING_WITNESS     if the weighted turns are to be checked
 * BUG_... seeds a bug, to see that it is found.
 */

#ifndef KEY
#define KEY(g) (g)
#endif
#define BIT_OF(x) (1 << (x))
#if NODES > 8
#define BITS short
#else
#define BITS byte
#endif
#define UNLIMITED 100

/* Task.work, Waiter.state, PermitFuture.state */
#define WAITING 0
#define GRANTED 1       /* a Run; or a caller or future that was granted */
#define TAIL 2          /* an OpenStage */
#define CANCELLED_RUN 3
#define CLAIMED 4       /* null; LEFT */
#define ENDED 5         /* ended by time-out or shutdown: whose end is still to be told */

typedef Group {
    bit slow = 1;       /* word: by birth */
    bit dead;           /* word */
    short free;         /* permits of concurrency: in the word while fast, plain while slow */
    short flight;       /* permits of flight, likewise */
    bit attached;       /* attached, and guard == ledger.lock: both change in one section */
    bit locked;         /* own */
    bit paused;
    byte limit;
    byte flightLimit;
#ifdef WEIGHTED
    byte weight;
    byte credit;
#endif
#ifdef LENDING
    short nested;
    byte pins;
#endif
}

Group group[GROUPS];
chan queue[GROUPS] = [NODES] of { byte };
byte work[NODES];
BITS started;           /* bit per node: its thread was started, or it was woken */
BITS done;              /* bit per node: its handle is complete */

/* Ledger */
byte ledgerOwner;       /* _pid + 1 */
byte ledgerDepth;
bit on;
byte globalLimit = UNLIMITED;
short globalFree = UNLIMITED;
short inFlight;         /* the sum over attached groups */
chan ring = [GROUPS] of { byte };   /* its head is the turn */

/* What the witness counts by itself: permits that are out, by key, and the global ones. */
byte running[GROUPS];
byte flying[GROUPS];
byte flyingAll;
byte globalInForce = UNLIMITED;     /* UNLIMITED while a limit is only being put in force */

/* Scratch of d_steps, dead between them. */
hidden byte node;
hidden byte other;
hidden byte nth;
hidden byte hit;

#define isEligible(g) (len(queue[g]) > 0 && group[g].free > 0 && group[g].flight > 0 && !group[g].paused)

#ifndef WITNESS_OVER
#define WITNESS_OVER() skip
#endif

/* ---- the witness */

inline witnessTake(g, needsGlobal) {
    WITNESS_OVER();
    running[KEY(g)]++;
    flying[KEY(g)]++;
    assert(running[KEY(g)] <= group[g].limit);          /* I1 */
    assert(flying[KEY(g)] <= group[g].flightLimit);
    if
    :: needsGlobal -> flyingAll++; assert(flyingAll <= globalInForce)
    :: else
    fi
}

/* At the end of a critical section: what the witness counts, the group's own numbers say too (I3), and no permit that
 * could be used is free (I4). */
inline witnessExit(g) {
    if
    :: !group[g].dead ->
        assert(group[g].free + running[KEY(g)] == group[g].limit);
        assert(group[g].flight + flying[KEY(g)] == group[g].flightLimit);
        assert(!(len(queue[g]) > 0 && !group[g].paused
                && running[KEY(g)] < group[g].limit && flying[KEY(g)] < group[g].flightLimit
                && (!group[g].attached || globalFree > 0)))
    :: else
    fi
}

#ifdef RING_WITNESS
/* For each pair: how many other started since the head of g became the head while g was eligible. */
typedef Starts { byte by[GROUPS] }
Starts since[GROUPS];

/* h has started one. */
inline witnessTurn(h) {
    nth = 0;
    do
    :: nth < GROUPS ->
        if
        :: nth != h && isEligible(nth) ->
            since[nth].by[h]++;
            assert(since[nth].by[h] <= group[h].weight)   /* E2 */
        :: else
        fi;
        nth++
    :: else -> break
    od;
    forgetStarts(h)
}

inline forgetStarts(g) {
    nth = 0;
    do
    :: nth < GROUPS -> since[g].by[nth] = 0; nth++
    :: else -> break
    od;
    nth = 0
}
#endif

/* ---- the fast way */

/* Group.tryTakeFast: reading the word again after a failed compare-and-set has no effect, so it is one step. */
inline tryTakeFast(g, taken) {
#ifdef BUG_CHECK_THEN_ACT
    taken = !group[g].slow && group[g].free > 0 && group[g].flight > 0;
    if
    :: taken -> d_step { group[g].free--; group[g].flight--; witnessTake(g, 1) }
    :: else
    fi
#else
    d_step {
        taken = !group[g].slow && group[g].free > 0 && group[g].flight > 0;
        if
        :: taken -> group[g].free--; group[g].flight--; witnessTake(g, 1)
        :: else
        fi
    }
#endif
}

/* Group.tryGiveBackFast */
inline tryGiveBackFast(g, concurrency, flights, given) {
    d_step {
#ifdef BUG_GIVE_BACK_UNSEEN
        given = 1;
#else
        given = !group[g].slow;
#endif
        if
        :: given ->
            group[g].free = group[g].free + concurrency;
            group[g].flight = group[g].flight + flights;
            running[KEY(g)] = running[KEY(g)] - concurrency;
            flying[KEY(g)] = flying[KEY(g)] - flights;
            flyingAll = flyingAll - flights
        :: else
        fi
    }
}

/* ---- locks */

#define LEDGER_IS_MINE (ledgerOwner == _pid + 1)

inline lockLedger() {
    atomic { ledgerOwner == 0 || LEDGER_IS_MINE -> d_step { ledgerOwner = _pid + 1; ledgerDepth++ } }
}

inline unlockLedger() {
    d_step {
        ledgerDepth--;
        if
        :: ledgerDepth == 0 -> ledgerOwner = 0
        :: else
        fi
    }
}

inline unlockGuard(g) {
    if
    :: group[g].attached -> ledgerDepth--;
        if
        :: ledgerDepth == 0 -> ledgerOwner = 0
        :: else
        fi
    :: else -> group[g].locked = 0
    fi
}

#define guardIsFree(g) ((group[g].attached && (ledgerOwner == 0 || LEDGER_IS_MINE)) || (!group[g].attached && !group[g].locked))

inline lockGuard(g) {
    if
    :: group[g].attached -> ledgerOwner = _pid + 1; ledgerDepth++
    :: else -> group[g].locked = 1
    fi
}

/* GuardedGroup.attach, by who has the ledger's lock; waits for the own lock. */
inline attach(g) {
    if
    :: group[g].attached
    :: atomic { !group[g].attached && !group[g].locked -> d_step {
        group[g].slow = 1;
        group[g].attached = 1;
#ifndef BUG_ADOPTS_NOTHING
        inFlight = inFlight + group[g].flightLimit - group[g].flight;
        globalFree = globalFree - (group[g].flightLimit - group[g].flight)
#endif
#ifdef LENDING
        globalFree = globalFree + group[g].nested
#endif
       } }
    fi
}

/* GuardedGroup.enter */
#ifdef SWITCHING
inline enter(g) {
    do
    :: guardRead = group[g].attached;
        if
        :: atomic { guardRead && (ledgerOwner == 0 || LEDGER_IS_MINE) -> d_step { ledgerOwner = _pid + 1; ledgerDepth++ } }
        :: atomic { !guardRead && !group[g].locked -> group[g].locked = 1 }
        fi;
        if
#ifdef BUG_GUARD_NOT_READ_AGAIN
        :: !guardRead -> guardRead = 0; break
#endif
        :: atomic { guardRead != group[g].attached -> d_step {
            if
            :: guardRead -> ledgerDepth--;
                if
                :: ledgerDepth == 0 -> ledgerOwner = 0
                :: else
                fi
            :: else -> group[g].locked = 0
            fi } }
        :: atomic { guardRead == group[g].attached && !guardRead && on -> group[g].locked = 0 };
            lockLedger();
            attach(g);
            unlockLedger()
        :: atomic { guardRead == group[g].attached && !(!guardRead && on) -> guardRead = 0; break }
        fi
    od;
    group[g].slow = 1
}
#define INSIDE(g, ...) enter(g); d_step { __VA_ARGS__ }
#else
/* The guard doesn't change: to lock it moves right, so locking, the slow bit and what only the guard's holder sees are
 * one step. */
#define INSIDE(g, ...) atomic { guardIsFree(g) -> d_step { lockGuard(g); group[g].slow = 1; __VA_ARGS__ } }
#endif

/* ---- inside */

inline took(g, flights, globals) {
    if
    :: group[g].attached -> inFlight = inFlight + flights; globalFree = globalFree - globals
    :: else
    fi
}

inline take(g, needsGlobal) {
    group[g].free--;
    group[g].flight--;
#ifdef LENDING
    if
    :: !(needsGlobal) -> group[g].nested++
    :: else
    fi;
#endif
    took(g, 1, needsGlobal);
    witnessTake(g, needsGlobal);
#ifdef RING_WITNESS
    witnessTurn(g)
#endif
}

/* Group.giveBack and freeGlobal */
inline giveBack(g, concurrency, flights, globals) {
    group[g].free = group[g].free + concurrency;
    group[g].flight = group[g].flight + flights;
    took(g, -(flights), -(globals));
    running[KEY(g)] = running[KEY(g)] - concurrency;
    flying[KEY(g)] = flying[KEY(g)] - flights;
    flyingAll = flyingAll - globals
}

#ifndef NEEDS_GLOBAL
#define NEEDS_GLOBAL(n) 1
#endif
#ifndef WITNESS_LENDERS
#define WITNESS_LENDERS() skip
#endif
#ifndef SIGNAL_QUIET
#define SIGNAL_QUIET() skip
#endif
#ifndef LENDING
#define LEFT_QUEUE(g, n) skip
#endif
#ifndef TIME_IS_UP
#define TIME_IS_UP(n) 0
#endif

/* GroupState.grantHead: the head leaves the queue, with the permits if it still wants them. */
inline grantHead(g, batch) {
    hit = 0;
    queue[g]?node;
    LEFT_QUEUE(g, node);
#ifdef RING_WITNESS
    forgetStarts(g);
#endif
    if
    :: TIME_IS_UP(node) ->
        if
        :: work[node] == WAITING -> work[node] = ENDED; batch = batch | BIT_OF(node)
        :: else
        fi
    :: else ->
#ifdef BUG_TAKES_FOR_THE_GONE
        take(g, NEEDS_GLOBAL(node));
        hit = 1;
        if
        :: work[node] == WAITING -> work[node] = GRANTED; batch = batch | BIT_OF(node)
        :: else
        fi
#else
#ifdef BUG_TAKES_THE_NEXT_UNSEEN
        do
        :: work[node] != WAITING && len(queue[g]) > 0 -> queue[g]?node; LEFT_QUEUE(g, node)
        :: else -> break
        od;
#endif
        if
#ifdef BUG_GRANTS_THE_GONE
        :: true ->
#else
        :: work[node] == WAITING ->
#endif
            take(g, NEEDS_GLOBAL(node));
            work[node] = GRANTED;
            batch = batch | BIT_OF(node);
            hit = 1
        :: else
        fi
#endif
    fi
}

/* ---- turns */

inline leaveRing(g) {
    if
    :: ring??[eval(g)] ->
        ring??eval(g);
#ifdef WEIGHTED
        group[g].credit = 0
#endif
    :: else
    fi
}

inline joinRing(g) {
    if
    :: ring??[eval(g)]
    :: else ->
#ifdef BUG_NEWCOMER_FIRST
        hit = len(ring) > 0;
        if
        :: hit ->
            nth = len(ring);
            ring!g;
            do
            :: nth > 0 -> ring?other; ring!other; nth--
            :: else -> break
            od
        :: else -> ring!g
        fi;
#else
        ring!g;
#endif
#ifdef WEIGHTED
        group[g].credit = 0
#endif
    fi
}

#ifndef LENDING
#define RECLAIM_AND_LOANS(batch) skip
#define REST_EXEMPT(batch) skip
#endif

/* One turn of the loop of Ledger.drain: more says whether it has to go on. */
inline drainOnce(batch) {
    more = 0;
    RECLAIM_AND_LOANS(batch);
    if
    :: more
    :: else ->
        do
        :: len(ring) > 0 ->
            ring?<other>;
            if
            :: !isEligible(other) -> leaveRing(other)
            :: else -> break
            fi
        :: else -> break
        od;
        if
        :: len(ring) > 0 -> queue[other]?<node>
        :: else
        fi;
        if
        :: len(ring) > 0 && (globalFree > 0 || !NEEDS_GLOBAL(node)) ->
            more = 1;
#ifdef WEIGHTED
            if
            :: group[other].credit == 0 -> group[other].credit = group[other].weight
            :: else
            fi;
#endif
            grantHead(other, batch);
#ifdef BUG_SAME_AGAIN
            skip;
#else
#ifdef WEIGHTED
            if
            :: hit ->
                group[other].credit--;
                if
                :: group[other].credit == 0 -> ring?other; ring!other
                :: else
                fi
            :: else
            fi;
#else
            if
            :: hit -> ring?other; ring!other
            :: else
            fi;
#endif
#endif
            if
            :: !isEligible(other) -> leaveRing(other)
            :: else
            fi
        :: else -> REST_EXEMPT(batch)
        fi
    fi
}

/* GuardedGroup.exit up to the first grant, and that: more says whether there may be another. */
inline exitOnce(g, batch) {
    more = 0;
    if
    :: group[g].dead
#ifdef BUG_RELEASE_WITHOUT_HANDOFF
    :: else
#else
    :: !group[g].dead && group[g].attached ->
        if
        :: isEligible(g) -> joinRing(g)
        :: else -> leaveRing(g)
        fi;
        drainOnce(batch);
        SIGNAL_QUIET()
    :: !group[g].dead && !group[g].attached && isEligible(g) ->
        grantHead(g, batch);
        more = 1
    :: else
#endif
    fi
}

#ifdef LENDING
#define isPinned(g) (group[g].pins > 0)
#else
#define isPinned(g) 0
#endif

/* Detaching, the release write of the word, and to unlock. */
inline leave(g) {
    witnessExit(g);
    WITNESS_LENDERS();
    if
    :: group[g].dead -> unlockGuard(g)
    :: else ->
        hit = group[g].attached;
        if
        :: hit && !on && !isPinned(g) ->
            leaveRing(g);
            inFlight = inFlight - (group[g].flightLimit - group[g].flight);
            globalFree = globalFree + (group[g].flightLimit - group[g].flight);
#ifdef LENDING
            globalFree = globalFree - group[g].nested;
#endif
            unlockGuard(g);
            group[g].attached = 0
        :: else -> unlockGuard(g)
        fi;
        group[g].slow = !(len(queue[g]) == 0 && !group[g].paused && !group[g].attached
                && group[g].free >= 0 && group[g].flight >= 0)
    fi
}

#ifdef LEFT_MEANWHILE
inline exit(g, batch) {
    do
    :: atomic {
        d_step {
            exitOnce(g, batch);
            if
            :: !more -> leave(g)
            :: else
            fi
        };
        if
        :: more -> more = 0
        :: else -> break
        fi
       }
    od;
    skip    /* no jump leads to a d_step */
}
#else
inline exitInside(g, batch) {
    do
    :: exitOnce(g, batch);
        if
        :: more -> more = 0
        :: else -> break
        fi
    od;
    leave(g)
}

inline exit(g, batch) {
    d_step { exitInside(g, batch) }
}
#endif

#ifdef ALWAYS_ATTACHED
/* The word is always slow and nobody leaves meanwhile: nothing in a whole section is seen from outside. */
#define SECTION(g, batch, ...) \
    atomic { guardIsFree(g) -> d_step { lockGuard(g); __VA_ARGS__; exitInside(g, batch) } }
#else
#define SECTION(g, batch, ...) INSIDE(g, __VA_ARGS__); exit(g, batch)
#endif

/* Batch.carryOut: what was decided takes place. To start a thread only lets it go on, so all starts are one step. */
inline carryOut(batch) {
    d_step { started = started | batch; batch = 0 }
}

/* The end of a handle: once and for all (I2). */
inline complete(n) {
    d_step { assert(!(done & BIT_OF(n))); done = done | BIT_OF(n) }
}

/* One step, since only the end of a handle is not looked at before all is over. */
inline carryOutAndComplete(batch, n) {
    d_step { started = started | batch; batch = 0; assert(!(done & BIT_OF(n))); done = done | BIT_OF(n) }
}
