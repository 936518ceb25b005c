/*
 * One global permit that several share (SharedGlobal): a lender that waits for a task inside of it, others that go inside
 * and out, and (SHARED) one whose call ends that has shared what the lender is inside of. There is no other global permit:
 * what it is lent to works on it alone. With CARRIED the lender waits in a call that another one carries: nothing is shared
 * until somebody lends, or has what is to outlive that call share it, also user code that is called amid the wait.
 */
#ifndef OTHERS
#define OTHERS 2        /* threads that go inside once each */
#endif

#ifdef CARRIED
#undef OTHERS
#define OTHERS 0
#define PROCESSES 3
#elif defined(SHARED)
#define PROCESSES (OTHERS + 2)
#else
#define PROCESSES (OTHERS + 1)
#endif

/* SharedGlobal.state */
typedef Shared {
    byte holds;
    byte threads;
    bit lent;
    bit whenAlone
}
Shared shared;

/* Whether the loan has begun, is settled, lacks the global permit. */
bit begun;
bit settled;
bit lacksGlobal;
bit borrows;            /* the borrower is granted, and has not ended */

bit ledgerLocked;
bit lenderLeft;

/* The witness: where the only global permit is. */
byte carried = 1;       /* by what is shared */
byte free;
byte byBorrower;
byte working;           /* threads at work on what is shared, without the lender while it waits */
byte done;

#define isConserved (carried + free + byBorrower == 1)
#define mayWork assert(isConserved && !(byBorrower && working))

/* The holds of the lender that count in what is shared: Holds.countSharing */
#ifdef CARRIED
bit made;               /* the SharedGlobal of the outer call: Hold.share */
bit outlives;           /* the inner call counts in it: Hold.outlive */
bit innerClosed;
bit handedOut;          /* what shares the inner call */
bit offered;            /* Offer: the lender's thread waits, and nobody has tried to lend yet */
byte innerKeeps = 1;    /* how many keep the inner call out, its thread among them */
#define OWN (1 + (outlives && !innerClosed))
#else
#define OWN 1
#endif

inline lock() { atomic { !ledgerLocked -> ledgerLocked = 1 } }
inline unlock() { ledgerLocked = 0 }

/* SharedGlobal.tryJoin */
inline tryJoin(joined) {
    atomic {
        if
#ifdef BUG_JOINS_WHAT_IS_LENT
        :: shared.holds > 0 -> shared.holds++; shared.threads++; joined = 1
#else
        :: shared.holds > 0 && !shared.lent -> shared.holds++; shared.threads++; joined = 1
#endif
        :: else -> joined = 0
        fi
    }
}

/* SharedGlobal.free */
inline freeShared() {
    d_step { assert(carried == 1 && shared.holds == 0); carried = 0; free++; mayWork }
}

/* Borrowing.mark, under the ledger's lock: SharedGlobal.tryLend */
inline tryLend() {
    own = OWN;
    atomic {
        if
#ifdef BUG_LENDS_AMONG_OTHERS
        :: shared.threads >= 1 -> shared.lent = 1
#else
        :: shared.threads == own -> shared.lent = 1
#endif
        :: else -> shared.whenAlone = 1
        fi
    };
    if
    :: shared.lent -> d_step { begun = 1; lacksGlobal = 1; borrows = 1; carried--; byBorrower++; mayWork }
    :: else
    fi
}

/* SharedGlobal.takeAwaited: of several, one has it tried again, on a thread of its own; Lending.lendIfAlone */
inline followLeave() {
#ifndef BUG_LEAVES_UNHEARD
    if
    :: awaited ->
        d_step { awaited = shared.whenAlone; shared.whenAlone = 0 };
        if
        :: awaited ->
            lock();
            if
            :: !begun && !settled -> shared.whenAlone = 0; tryLend()
            :: else
            fi;
            unlock()
        :: else
        fi
    :: else
    fi;
#endif
    awaited = 0
}

/* SharedGlobal.leave, and SharedGlobal.follow */
inline leave(asThreads) {
    d_step {
        shared.holds--;
        shared.threads = shared.threads - asThreads;
        wasLast = shared.holds == 0;
        awaited = shared.whenAlone
    };
    if
    :: wasLast -> freeShared()
    :: else -> followLeave()
    fi;
    d_step { wasLast = 0; awaited = 0 }
}

#ifdef CARRIED
/* Hold.share of the outer call: by its thread, or by who lends what that has */
inline materialise() {
    atomic {
        if
        :: !made -> made = 1; shared.holds = 1; shared.threads = 1
        :: else
        fi
    }
}

/* Share.of the inner call, by its thread: Hold.outlive, SharedGlobal.joinFromInside, Hold.tryKeep */
inline shareInner(amidAWait) {
    materialise();
    if
    :: amidAWait ->
#ifndef BUG_OUTLIVES_UNLOCKED
        lock()
#else
        skip
#endif
    :: else
    fi;
#ifndef BUG_OUTLIVES_UNCOUNTED
    d_step { shared.holds++; shared.threads++ };
#endif
    outlives = 1;
    if
    :: amidAWait ->
#ifndef BUG_OUTLIVES_UNLOCKED
        unlock()
#else
        skip
#endif
    :: else
    fi;
    d_step { innerKeeps++; handedOut = 1 }
}

/* Borrowing.ofGroup, Borrowing.global: in a critical section of the group in which the task waits */
inline tryOffered() {
    if
    :: offered -> offered = 0; materialise(); tryLend()
    :: else
    fi
}

/* Has the task wait after the offer was made, or comes by for another reason. */
proctype Granter() {
    byte own;
    lock();
    tryOffered();
    unlock();
    if
    :: offered || done == PROCESSES - 1 ->
        lock();
        tryOffered();
        unlock()
    fi;
    done++
}

/* A thread that waits for a task in a call inside another one, or doesn't wait; before it or amid the wait it shares the inner one. */
proctype Lender() {
    bit wasLast;
    bit awaited;
    byte own;
    d_step { working++; mayWork };
    d_step { working--; };
    if
    :: shareInner(0)
    :: true
    fi;
    if
    :: true ->
        lock();
        offered = 1;
        if
        :: tryOffered()         /* Lending.register, if the task waits already */
        :: true
        fi;
        unlock();
        if
        :: !outlives -> shareInner(1)
        :: true
        fi;
        if
        :: begun && settled && !borrows
#ifdef IMPATIENT
        :: true
#endif
        fi;
        lock();
        if
        :: !begun -> d_step { offered = 0; shared.whenAlone = 0; settled = 1 }
        :: else
        fi;
        unlock();
        settled
    :: settled = 1
    fi;
    /* Callers.leaveCarried, Releases.closeForThread */
    if
    :: outlives ->
        d_step { innerKeeps--; innerClosed = 1; wasLast = innerKeeps == 0 };
        if
        :: wasLast -> wasLast = 0; leave(1)
        :: else ->
            d_step { shared.threads--; awaited = shared.whenAlone };
            followLeave()
        fi
    :: else -> innerClosed = 1
    fi;
    /* Releases.close of the outer one, which is sole as long as nothing was shared */
    if
    :: made -> leave(1)
    :: else -> d_step { assert(carried == 1); carried = 0; free++; mayWork }
    fi;
    lenderLeft = 1;
    done++
}

/* Has been handed what shares the inner call, goes inside of it, and closes it; perhaps long after that has ended. */
proctype Keeper() {
    bit joined;
    bit wasLast;
    bit awaited;
    byte own;
    if
    :: handedOut ->
        if
        :: true ->
            do
            :: tryJoin(joined);
                if
                :: joined -> break
                :: else -> assert(shared.holds > 0); !shared.lent
                fi
            od;
            atomic { working++; assert(carried == 1); mayWork };
            d_step { working--; };
            leave(1)
        :: true
        fi;
        d_step { innerKeeps--; wasLast = innerKeeps == 0 };
        if
        :: wasLast -> wasLast = 0; leave(!innerClosed)
        :: else
        fi
    :: lenderLeft && !handedOut
    fi;
    done++
}

#else
/* A thread that waits for a task inside, until the task has run on what it lends, or it gives up. */
proctype Lender() {
    bit wasLast;
    bit awaited;
    byte own;
    d_step { working++; mayWork };
    d_step { working--; };      /* it waits from now on: Task.await */
    lock();
    tryLend();
    unlock();
    if
    :: begun && settled && !borrows
#ifdef IMPATIENT
    :: true
#endif
    fi;
    /* Lending.reclaim */
    lock();
    if
    :: !begun -> d_step { shared.whenAlone = 0; settled = 1 }
    :: else
    fi;
    unlock();
    settled;
    leave(1);
    lenderLeft = 1;
    done++
}
#endif

/* Has what it was lent, and hands it back; Returns.giveBack, Returns.handBack */
proctype Borrower() {
    if
    :: borrows -> mayWork
    :: !borrows && done == PROCESSES -> goto end
    fi;
    lock();
    d_step {
        byBorrower--;
        if
        :: !settled -> carried++; lacksGlobal = 0; settled = 1; shared.lent = 0
        :: else -> free++
        fi;
        borrows = 0;
        mayWork
    };
    unlock();
end:
    skip
}

/* A thread that goes inside by permit.call, works and leaves; SharedGlobal.awaitReturned while it is lent. */
proctype Other() {
    bit joined;
    bit wasLast;
    bit awaited;
    byte own;
    do
    :: tryJoin(joined);
        if
        :: joined -> break
        :: !joined && shared.holds == 0 -> break
        :: !joined && shared.holds > 0 -> !shared.lent || shared.holds == 0
        fi
    od;
    if
    :: joined ->
        d_step { working++; mayWork };
        d_step { working--; };
        leave(1)
    :: else
    fi;
    done++
}

#if defined(SHARED) && !defined(CARRIED)
/* Works in a call, and has shared its hold, which the lender keeps out; then its call ends: Releases.closeForThread. */
proctype Sharer() {
    bit wasLast;
    bit awaited;
    byte own;
    d_step { working++; mayWork };
    d_step { working--; };
#ifndef BUG_COUNTS_THE_ENDED
    /* SharedGlobal.unbind */
    d_step { shared.threads--; awaited = shared.whenAlone };
    followLeave();
    lenderLeft;
    leave(0);
#else
    lenderLeft;
    leave(1);
#endif
    done++
}
#endif

init {
    byte i;
    atomic {
#ifdef CARRIED
        run Keeper();
        run Granter();
#elif defined(SHARED)
        shared.holds = 2;
        shared.threads = 2;
        run Sharer();
#else
        shared.holds = 1;
        shared.threads = 1;
#endif
        run Lender();
        run Borrower();
        i = 0;
        do
        :: i < OTHERS -> run Other(); i++
        :: else -> break
        od
    };
    _nr_pr == 1 -> assert(free == 1 && carried == 0 && byBorrower == 0 && shared.holds == 0 && !shared.lent)
}

ltl everyTaskEnds { <> (done == PROCESSES) }
