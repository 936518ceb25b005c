/*
 * One global permit that several share (SharedGlobal): a lender that waits for a task inside of it, others that go inside
 * and out, and (CLOSED) one that closes the lender's hold at any time. There is no other global permit: what it is lent to
 * works on it alone.
 */
#ifndef OTHERS
#define OTHERS 2        /* threads that go inside once each */
#endif

#ifdef CLOSED
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

/* The lender's hold is open. */
bit open = 1;
/* Whether the loan has begun, is settled, lacks the global permit. */
bit begun;
bit settled;
bit lacksGlobal;
bit borrows;            /* the borrower is granted, and has not ended */

bit ledgerLocked;
byte own;               /* under the ledger's lock: how many holds of the lender's are open */

/* The witness: where the only global permit is. */
byte carried = 1;       /* by what is shared */
byte free;
byte byBorrower;
byte working;           /* threads at work on what is shared, without the lender while it waits */
byte done;

#define isConserved (carried + free + byBorrower == 1)
#define mayWork assert(isConserved && !(byBorrower && working))

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

/* Releases.free */
inline freeShared() {
    d_step { assert(carried == 1 && shared.holds == 0); carried = 0; free++; mayWork }
}

/* Lending.tryLend, under the ledger's lock. */
inline tryLend() {
    do
    :: own = open;
        if
#ifndef BUG_LENDS_WHAT_IS_DEAD
        :: own == 0 -> break    /* the lender's hold is closed: it has nothing to lend */
        :: else
#else
        :: true
#endif
        fi;
        /* SharedGlobal.tryLend */
        atomic {
            if
#ifdef BUG_LENDS_AMONG_OTHERS
            :: shared.threads >= own -> shared.lent = 1
#else
            :: shared.threads == own -> shared.lent = 1
#endif
            :: else -> shared.whenAlone = 1
            fi
        };
#ifndef BUG_COUNTS_ONCE
        if
        :: open != own -> d_step { shared.lent = 0; shared.whenAlone = 0 }
        :: else -> break
        fi
#else
        break
#endif
    od;
    if
    :: shared.lent -> d_step { begun = 1; lacksGlobal = 1; borrows = 1; carried--; byBorrower++; mayWork }
    :: else
    fi
}

/* SharedGlobal.leave, and Releases.follow */
inline leave(wasLast, awaited, hadLoan) {
    d_step {
        shared.holds--;
        shared.threads--;
        wasLast = shared.holds == 0;
        awaited = shared.whenAlone;
        hadLoan = shared.lent || shared.whenAlone
    };
    if
    :: wasLast && !hadLoan -> freeShared()
    :: wasLast && hadLoan ->
        /* Lending.giveUpGlobal */
        lock();
        if
        :: begun && !settled && lacksGlobal -> d_step { lacksGlobal = 0; settled = 1; shared.lent = 0 }
        :: else -> freeShared()
        fi;
        unlock()
#ifndef BUG_LEAVES_UNHEARD
    :: !wasLast && awaited ->
        /* SharedGlobal.takeAwaited: of several, one has it tried again, on a thread of its own */
        d_step { awaited = shared.whenAlone; shared.whenAlone = 0 };
        if
        :: awaited ->
            /* Lending.lendIfAlone */
            lock();
            if
            :: !begun && !settled -> shared.whenAlone = 0; tryLend()
            :: else
            fi;
            unlock()
        :: else
        fi
#endif
    :: else
    fi;
    d_step { wasLast = 0; awaited = 0; hadLoan = 0 }
}

/* The last close of the lender's hold, by whoever comes first. */
inline close(first) {
    d_step { first = open; open = 0 };
    if
    :: first -> leave(wasLast, awaited, hadLoan)
    :: else
    fi
}

/* A thread that waits for a task inside, until the task has run on what it lends, or it gives up. */
proctype Lender() {
    bit first;
    bit wasLast;
    bit awaited;
    bit hadLoan;
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
    :: !begun && !open          /* closed before anything was lent: it waits like everybody else */
    fi;
    /* Lending.reclaim */
    lock();
    if
    :: !begun -> d_step { shared.whenAlone = 0; settled = 1 }
    :: else
    fi;
    unlock();
    settled;
    close(first);
    done++
}

/* Has what it was lent, and hands it back; Releases.giveBackBorrowed, Lending.handBack */
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

/* A thread that goes inside by permit.call, works and leaves; Lending.awaitReturned while it is lent. */
proctype Other() {
    bit joined;
    bit wasLast;
    bit awaited;
    bit hadLoan;
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
        leave(wasLast, awaited, hadLoan)
    :: else
    fi;
    done++
}

/* Closes the lender's hold, on any thread, at any time. */
proctype Closer() {
    bit first;
    bit wasLast;
    bit awaited;
    bit hadLoan;
    close(first);
    done++
}

init {
    byte i;
    atomic {
        shared.holds = 1;
        shared.threads = 1;
        run Lender();
        run Borrower();
#ifdef CLOSED
        run Closer();
#endif
        i = 0;
        do
        :: i < OTHERS -> run Other(); i++
        :: else -> break
        od
    };
    _nr_pr == 1 -> assert(free == 1 && carried == 0 && byBorrower == 0 && shared.holds == 0 && !shared.lent)
}

ltl everyTaskEnds { <> (done == PROCESSES) }
