/*
 * Permits that are lent and handed back, under a global limit. One of:
 *   SAME_GROUP     node 0 submits node 1 to its own group and waits for it; with DEPTH 2, node 1 does so with node 2.
 *                  The rest are competitors.
 *   OTHER_GROUP    node 0 submits node 1 to the other group and waits for it; node 2 competes there, node 3 here.
 *   VISIT          node 0 calls as node 1 into the other group; nodes 2 and 3 compete there, node 4 here. The caller's
 *                  permit is closed by another thread at any time, also after node 0.
 *   VISIT_LENDS    likewise, and then it submits node 2 to the group that it visits and waits for it.
 * CANCELLED is the task that may be cancelled; IMPATIENT if waits of lenders and visitors may end early.
 */
#define NONE 7
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef GLOBAL_LIMIT
#define GLOBAL_LIMIT 1
#endif
#ifndef CANCELLED
#define CANCELLED NONE
#endif

/* GROUP_OF a node; CHILD_OF: what a task submits and waits for; PARENT_OF: its lender; VISIT_OF: the caller's node with
 * which a task visits another group. */
#if defined(SAME_GROUP)
#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef NODES
#define NODES (DEPTH + 2)
#endif
#define GROUPS 1
#define GROUP_OF(n) 0
#if DEPTH == 1
#define CHILD_OF(n) ((n) == 0 -> 1 : NONE)
#else
#define CHILD_OF(n) ((n) == 0 -> 1 : ((n) == 1 -> 2 : NONE))
#endif
#define PARENT_OF(n) ((n) - 1)
#define IS_SUBMITTED(n) ((n) >= 1 && (n) <= DEPTH)
#elif defined(OTHER_GROUP)
#ifndef NODES
#define NODES 4
#endif
#define GROUPS 2
#define GROUP_OF(n) ((n) == 0 || (n) == 3 -> 0 : 1)
#define CHILD_OF(n) ((n) == 0 -> 1 : NONE)
#define PARENT_OF(n) 0
#define IS_SUBMITTED(n) ((n) == 1)
#else
#ifndef NODES
#define NODES 5
#endif
#define GROUPS 2
#define GROUP_OF(n) ((n) == 0 || (n) == 4 -> 0 : 1)
#define PARENT_OF(n) 0
#define VISITS
#define VISIT_OF(n) ((n) == 0 -> 1 : NONE)
#define IS_VISIT(n) ((n) == 1)
#ifdef VISIT_LENDS
#define CHILD_OF(n) ((n) == 0 -> 2 : NONE)
#define IS_SUBMITTED(n) ((n) == 2)
#else
#define CHILD_OF(n) NONE
#define IS_SUBMITTED(n) 0
#endif
#endif
#ifndef VISITS
#define VISIT_OF(n) NONE
#define IS_VISIT(n) 0
#endif
#ifndef VISIT
#define LOANS
#endif

#define LENDING
#define LEFT_MEANWHILE
#define NEEDS_GLOBAL(n) (!IS_VISIT(n))
#define RECLAIM_AND_LOANS(batch) tryReclaims(); grantLoans(batch)
#define REST_EXEMPT(batch) grantVisitors(batch)
#define LEFT_QUEUE(g, n) leaveExempt(g, n)

/* Of a lender: its Loan. */
typedef Loan {
    byte groupHold = NONE;
    byte globalHold = NONE;
    bit lacksConcurrency;
    bit lacksFlight;
    bit lacksGlobal;
    bit reserved;
    bit reclaiming;
    bit settled
}
Loan loan[NODES];
byte borrows;           /* bit per task: Run.loan is set */
byte openHolds;         /* bit per node: Hold.isOpen */
byte ownsGlobal;        /* bit per node: Hold.ownsGlobal */
byte submitted;         /* bit per task: its handle is known */

hidden byte borrower;   /* scratch */

/* What a lender lacks who wants it back is not all free (I4). */
#define mayRetake(l) (loan[l].reclaiming && (!loan[l].lacksConcurrency || group[groupOfLoan(l)].free > 0) \
        && (!loan[l].lacksFlight || group[groupOfLoan(l)].flight > 0) && (!loan[l].lacksGlobal || globalFree > 0))
#define WITNESS_LENDERS() assert(!mayRetake(0) && !mayRetake(1))
#define groupOfLoan(l) GROUP_OF(loan[l].groupHold)

#include "engine.pml"

/* GroupQueue.exempt: tasks for which a global permit is set aside, and visitors. The first are always tried first. */
chan setAside[GROUPS] = [NODES] of { byte };
chan visitors[GROUPS] = [NODES] of { byte };

#define isOpen(h) (openHolds & BIT_OF(h))
#define owns(h) (ownsGlobal & BIT_OF(h))

/* What the global permits that are out and set aside come to, besides what witnessExit says (I3). */
inline witnessGlobal() {
    assert(globalFree + flyingAll + loan[0].reserved + loan[1].reserved == globalLimit)
}

inline leaveExempt(g, n) {
    if
    :: setAside[g]??[eval(n)] -> setAside[g]??eval(n)
    :: else
    fi;
    if
    :: visitors[g]??[eval(n)] -> visitors[g]??eval(n)
    :: else
    fi
}

/* ---- Lending */

#define hasRoom(g) (group[g].free > 0 && group[g].flight > 0)
#define lacksNothing(l) (!loan[l].lacksConcurrency && !loan[l].lacksFlight && !loan[l].lacksGlobal)

inline retake(l, concurrency, flights, global) {
    if
    :: (concurrency) && loan[l].lacksConcurrency ->
        group[groupOfLoan(l)].free--;
        running[groupOfLoan(l)]++;
        assert(running[groupOfLoan(l)] <= group[groupOfLoan(l)].limit);
        loan[l].lacksConcurrency = 0
    :: else
    fi;
    if
    :: (flights) && loan[l].lacksFlight ->
        group[groupOfLoan(l)].flight--;
        group[groupOfLoan(l)].nested++;
        inFlight++;
        flying[groupOfLoan(l)]++;
        loan[l].lacksFlight = 0
    :: else
    fi;
    if
    :: (global) && loan[l].lacksGlobal ->
        if
        :: loan[l].reserved ->
            borrower = CHILD_OF(l);
            leaveExempt(GROUP_OF(borrower), borrower);
            globalFree++;
            loan[l].reserved = 0
        :: else
        fi;
        ownsGlobal = ownsGlobal | BIT_OF(loan[l].globalHold);
        group[GROUP_OF(loan[l].globalHold)].nested--;
        globalFree--;
        flyingAll++;
        assert(flyingAll <= globalInForce);
        loan[l].lacksGlobal = 0
    :: else
    fi
}

inline settleIfWhole(l) {
    if
    :: lacksNothing(l) -> loan[l].reclaiming = 0; loan[l].settled = 1
    :: else
    fi
}

inline handBack(l, concurrency, flights, global) {
#ifndef BUG_FORGETS_HAND_BACK
    if
    :: !loan[l].settled -> retake(l, concurrency, flights, global); settleIfWhole(l)
    :: else
    fi
#endif
    skip
}

/* Lending.tryReclaim for all that reclaim. */
inline tryReclaims() {
#ifndef BUG_RECLAIM_UNHEARD
    nth = 0;
    do
    :: nth < NODES ->
        if
        :: mayRetake(nth) ->
            retake(nth, 1, 1, 1);
            settleIfWhole(nth)
        :: else
        fi;
        nth++
    :: else -> break
    od;
#endif
    nth = 0
}

/* Ledger.drain, for those that need no free global permit, up to the first that it tries; it looks at all groups. */
inline grantLoans(batch) {
    nth = 0;
    do
    :: nth < GROUPS && !more ->
        if
        :: len(setAside[nth]) > 0 && hasRoom(nth) ->
            more = 1;
            setAside[nth]?node;
            queue[nth]??eval(node);
            globalFree++;
            loan[PARENT_OF(node)].reserved = 0;
            if
            :: work[node] == WAITING ->
                work[node] = GRANTED;
                borrows = borrows | BIT_OF(node);
                take(nth, 1);
                batch = batch | BIT_OF(node)
            :: else -> handBack(PARENT_OF(node), 0, 0, 1)
            fi
        :: else
        fi;
        nth++
    :: else -> break
    od;
    nth = 0
}

inline grantVisitors(batch) {
    nth = 0;
    do
    :: nth < GROUPS && !more && globalFree <= 0 ->
        if
        :: len(visitors[nth]) > 0 && hasRoom(nth) ->
            more = 1;
            visitors[nth]?node;
            queue[nth]??eval(node);
            if
            :: work[node] == WAITING -> work[node] = GRANTED; take(nth, 0); batch = batch | BIT_OF(node)
            :: else
            fi
        :: else
        fi;
        nth++
    :: else -> break
    od;
    nth = 0
}

/* Lending.lend: the only compare-and-set in it is that on the borrower's work. */
inline lend(c, g) {
    lockLedger();
    INSIDE(g,
        loan[me].globalHold = (owns(me) && isOpen(me) -> me : (VISIT_OF(me) != NONE && owns(VISIT_OF(me)) -> VISIT_OF(me) : NONE));
        loan[me].groupHold = (VISIT_OF(me) != NONE && isOpen(VISIT_OF(me)) && GROUP_OF(VISIT_OF(me)) == g -> VISIT_OF(me) :
                (GROUP_OF(me) == g -> me : NONE));
        lent = loan[me].globalHold != NONE && work[c] == WAITING && queue[g]??[eval(c)];
        if
        :: lent ->
            ownsGlobal = ownsGlobal & ~BIT_OF(loan[me].globalHold);
            group[GROUP_OF(loan[me].globalHold)].nested++;
            globalFree++;
            flyingAll--;
            loan[me].lacksGlobal = 1;
            if
            :: loan[me].groupHold != NONE ->
                giveBack(g, 1, 1, 0);
                group[g].nested--;
                loan[me].lacksConcurrency = 1;
                loan[me].lacksFlight = 1;
                queue[g]??eval(c);
                work[c] = GRANTED;
                borrows = borrows | BIT_OF(c);
                take(g, 1);
                batch = batch | BIT_OF(c)
            :: else ->
                setAside[g]!c;
                globalFree--;
                loan[me].reserved = 1
            fi
        :: else
        fi
    );
    exit(g, batch);
    d_step { witnessGlobal() };
    unlockLedger();
    carryOut(batch)
}

/* Lending.reclaim */
inline reclaim() {
    if
    :: loan[me].settled
    :: else ->
        lockLedger();
        d_step {
            if
            :: loan[me].settled
            :: else ->
                if
                :: loan[me].reserved -> retake(me, 0, 0, 1)
                :: else
                fi;
                loan[me].reclaiming = 1;
                settleIfWhole(me)
            fi
        };
        if
        :: loan[me].reclaiming ->
            do
            :: atomic {
                d_step { drainOnce(batch) };
                if
                :: more -> more = 0
                :: else -> break
                fi
               }
            od
        :: else
        fi;
        unlockLedger();
        carryOut(batch);
        loan[me].settled
    fi
}

/* ---- Releases.end of a hold h of the thread of which the other hold is rest */

inline lastClose(h, rest, g) {
    d_step { openHolds = openHolds & ~BIT_OF(h) };
    if
    :: (rest == NONE || !isOpen(rest)) && owns(h) && !(borrows & BIT_OF(h)) -> SECTION(g, batch, giveBack(g, 1, 1, 1))
    :: else ->
        lockLedger();
        if
#ifdef VISITS
        :: d_step { owns(h) && rest != NONE && isOpen(rest) && !owns(rest) ->
                inherited = 1
            };
            /* Releases.passGlobalOn */
            INSIDE(GROUP_OF(rest), group[GROUP_OF(rest)].nested--; globalFree--; flyingAll++);
            exit(GROUP_OF(rest), batch);
            ownsGlobal = ownsGlobal | BIT_OF(rest)
#endif
        :: else
        fi;
        INSIDE(g,
            giveBack(g, 1, 1, (owns(h) != 0));
            if
            :: !owns(h) -> group[g].nested--
            :: else
            fi;
            if
            :: borrows & BIT_OF(h) ->
                handBack(PARENT_OF(h), 1, 1, (owns(h) && !inherited));
                assert(loan[PARENT_OF(h)].settled || inherited)     /* E13: at once, whatever waits */
            :: else
            fi;
            inherited = 0
        );
        exit(g, batch);
        unlockLedger()
    fi;
    carryOut(batch)
}

/* ---- processes */

/* Group.admit */
inline admit(n, g) {
    INSIDE(g,
        if
        :: len(queue[g]) == 0 && hasRoom(g) && (!NEEDS_GLOBAL(n) || globalFree > 0) ->
            work[n] = GRANTED; take(g, NEEDS_GLOBAL(n)); batch = BIT_OF(n)
        :: else ->
            queue[g]!n;
            if
            :: !NEEDS_GLOBAL(n) -> visitors[g]!n
            :: else
            fi
        fi
    );
    exit(g, batch);
    d_step { started = started | batch; batch = 0; submitted = submitted | BIT_OF(n) }
}

inline withdraw(n, g) {
    INSIDE(g,
        if
        :: queue[g]??[eval(n)] -> queue[g]??eval(n); leaveExempt(g, n)
        :: else
        fi
    );
    exit(g, batch);
    carryOut(batch)
}

proctype Task(byte me) {
    byte batch;
    bit more;
    bit lent;
    bit inherited;
    bit completes;

    if
    :: IS_SUBMITTED(me)
    :: !IS_SUBMITTED(me) -> admit(me, GROUP_OF(me))
    fi;
    if
    :: atomic { !(started & BIT_OF(me)) && work[me] == CLAIMED -> goto end }
    :: atomic { started & BIT_OF(me) -> d_step { openHolds = openHolds | BIT_OF(me); ownsGlobal = ownsGlobal | BIT_OF(me) } }
    fi;

#ifdef VISITS
    if
    :: work[me] == GRANTED && VISIT_OF(me) != NONE ->
        admit(VISIT_OF(me), GROUP_OF(VISIT_OF(me)));
        if
        :: started & BIT_OF(VISIT_OF(me)) -> d_step { openHolds = openHolds | BIT_OF(VISIT_OF(me)) }
#ifdef IMPATIENT
        :: atomic { work[VISIT_OF(me)] == WAITING -> work[VISIT_OF(me)] = CLAIMED }; withdraw(VISIT_OF(me), GROUP_OF(VISIT_OF(me)))
        :: atomic { work[VISIT_OF(me)] == GRANTED && !(started & BIT_OF(VISIT_OF(me))) -> work[VISIT_OF(me)] = CLAIMED };
            /* Returns.giveBackUnused */
            INSIDE(GROUP_OF(VISIT_OF(me)), giveBack(GROUP_OF(VISIT_OF(me)), 1, 1, 0); group[GROUP_OF(VISIT_OF(me))].nested--);
            exit(GROUP_OF(VISIT_OF(me)), batch);
            carryOut(batch)
#endif
        fi;
        if
        :: work[VISIT_OF(me)] == CLAIMED -> complete(VISIT_OF(me))
        :: else
        fi
    :: else
    fi;
#endif

#ifdef LOANS
    if
    :: work[me] == GRANTED && CHILD_OF(me) != NONE ->
        admit(CHILD_OF(me), GROUP_OF(CHILD_OF(me)));
        if
        :: work[CHILD_OF(me)] == WAITING -> lend(CHILD_OF(me), GROUP_OF(CHILD_OF(me)))
        :: else
        fi;
        if
        :: done & BIT_OF(CHILD_OF(me))
#ifdef IMPATIENT
        :: skip
#endif
        fi;
        if
        :: lent -> reclaim(); lent = 0
        :: else
        fi
    :: else
    fi;
#endif

    /* Run.finish; the other hold, if it is still open, is closed by another thread */
    d_step { completes = work[me] == GRANTED; work[me] = CLAIMED };
    lastClose(me, VISIT_OF(me), GROUP_OF(me));
    if
    :: completes -> complete(me); completes = 0
    :: else
    fi;
end:
    skip
}

#ifdef VISITS
/* Closes a visitor's permit, while his thread is at work or after it. */
proctype Closer(byte me; byte owner) {
    byte batch;
    bit more;
    bit inherited;

    if
    :: done & BIT_OF(me)
    :: isOpen(me) -> lastClose(me, owner, GROUP_OF(me)); complete(me)
    :: work[owner] == CLAIMED && !isOpen(me) && !(submitted & BIT_OF(me)) -> complete(me)
    fi
}

#endif

#if CANCELLED != NONE
proctype Canceller() {
    byte batch;
    bit more;

    submitted & BIT_OF(CANCELLED);
    CHILD_OF(CANCELLED) == NONE || (submitted & BIT_OF(CHILD_OF(CANCELLED)));
    if
    :: atomic { work[CANCELLED] == WAITING -> work[CANCELLED] = CLAIMED };
        withdraw(CANCELLED, GROUP_OF(CANCELLED));
        complete(CANCELLED)
    :: atomic { work[CANCELLED] == GRANTED -> work[CANCELLED] = CANCELLED_RUN }; complete(CANCELLED)
    :: skip
    fi
}
#endif

init {
    byte i;

    d_step {
        nth = 0;
        do
        :: nth < GROUPS ->
            group[nth].limit = (nth == 0 -> LIMIT : 1);
            group[nth].flightLimit = group[nth].limit;
            group[nth].free = group[nth].limit;
            group[nth].flight = group[nth].limit;
            group[nth].attached = 1;
            nth++
        :: else -> nth = 0; break
        od;
        on = 1;
        globalLimit = GLOBAL_LIMIT;
        globalInForce = GLOBAL_LIMIT;
        globalFree = GLOBAL_LIMIT
    };
    atomic {
        do
        :: i < NODES ->
#ifdef VISITS
            if
            :: IS_VISIT(i) -> run Closer(i, 0)
            :: else -> run Task(i)
            fi;
#else
            run Task(i);
#endif
            i++
        :: else -> i = 0; break
        od
#if CANCELLED != NONE
        ;
        run Canceller()
#endif
    };
    _nr_pr == 1;
    atomic {
        assert(done == BIT_OF(NODES) - 1);                      /* I2, I6 */
        do
        :: i < GROUPS ->
            assert(running[i] == 0 && flying[i] == 0);          /* I3 */
            assert(group[i].free == group[i].limit && group[i].flight == group[i].flightLimit && group[i].nested == 0);
            i++
        :: else -> break
        od;
        assert(flyingAll == 0 && inFlight == 0 && globalFree == globalLimit && len(ring) == 0)
    }
}

ltl everyTaskEnds { <> (done == BIT_OF(NODES) - 1) }
