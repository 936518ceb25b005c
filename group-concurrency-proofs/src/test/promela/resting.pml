/*
 * Several threads inside of one permit (SharedGlobal), each of which waits for a task of its own that only its global permit
 * can start. While it waits, a thread rests: it is not at work on what it shares, so another one that rests may lend it. One
 * whose wait has ended goes on only once nobody lends it. With AT_WORK some go inside, work, and leave. IMPATIENT: a wait
 * may end at any time; HURRIED: that of the first may.
 */
#ifndef LENDERS
#define LENDERS 2
#endif
#ifndef AT_WORK
#define AT_WORK 0
#endif

#define PROCESSES (LENDERS + AT_WORK)
#define NOBODY LENDERS

/* SharedGlobal.state, and SharedGlobal.loan: whose it is */
byte holds = LENDERS;
byte threads = LENDERS;
bit lent;
bit whenAlone;
byte loan = NOBODY;

/* Of each offer: whether its owner rests, is at the end of its wait; whether its loan has begun and is back, and its task runs. */
bit made[LENDERS];
bit resting[LENDERS];
bit withdrawn[LENDERS];
bit begun[LENDERS];
bit back[LENDERS];
bit runs[LENDERS];

bit ledgerLocked;
byte done;

/* The witness: where the only global permit is, and who is at work on what is shared. */
byte carried = 1;
byte free;
byte byBorrower;
byte working;

#define mayWork assert(carried + free + byBorrower == 1 && !(byBorrower && working))

inline lock() { atomic { !ledgerLocked -> ledgerLocked = 1 } }
inline unlock() { ledgerLocked = 0 }

/* Borrowing.mark, SharedGlobal.tryLend; for the task of i, under the ledger's lock */
inline tryLend(i) {
    if
    :: made[i] && !withdrawn[i] && !begun[i] && loan == NOBODY ->
        atomic {
            loan = i;
            if
            :: threads == (resting[i] -> 0 : 1) -> lent = 1
            :: else -> whenAlone = 1
            fi
        };
        if
        :: lent -> d_step { begun[i] = 1; runs[i] = 1; carried--; byBorrower++; mayWork }
        :: else
        fi
    :: else /* it is looked at again when the loan of another one has ended: ListedOffers.crowded */
    fi
}

/* ListedOffers.othersHaveLeft: each offer is looked at */
inline lookAgain() {
#ifndef BUG_FORGETS_THE_OTHERS
    do
    :: each < LENDERS -> tryLend(each); each++
    :: else -> break
    od;
#endif
    each = 0
}

/* SharedGlobal.endLoan */
inline endLoan() { d_step { loan = NOBODY; lent = 0; whenAlone = 0 } }

/* SharedGlobal.takeAwaited has found a mark, and that loan: Lending.lendIfAlone, on a thread of its own */
inline tryAgain() {
    if
    :: awaited ->
        awaited = 0;
        lock();
        if
        :: loan == NOBODY -> lookAgain()
        :: loan != NOBODY && loan == seen && !lent -> endLoan(); lookAgain()
        :: else
        fi;
        unlock()
    :: else
    fi
}

/* SharedGlobal.leave of so many holds and threads, SharedGlobal.takeAwaited; without any lock */
inline leave() {
    d_step {
        holds--;
        threads--;
        awaited = whenAlone && holds > 0;
        if
        :: holds == 0 -> assert(carried == 1 && !lent); carried = 0; free++
        :: else
        fi
    };
    if
    :: awaited ->
#ifdef BUG_READS_THE_LOAN_FIRST
        seen = loan;
        d_step { awaited = whenAlone; whenAlone = 0 }
#else
        d_step { awaited = whenAlone; whenAlone = 0 };
        seen = loan
#endif
    :: else
    fi;
    tryAgain()
}

proctype Lender(byte i) {
    byte each;
    byte seen;
    bit awaited;
    d_step { working++; mayWork };
    d_step { working--; };              /* it waits from now on */
    /* Lending.lend */
    lock();
    made[i] = 1;
    tryLend(i);
#ifndef BUG_COUNTS_WHO_WAITS
    /* Offer.rest */
    d_step { resting[i] = 1; threads--; awaited = whenAlone; whenAlone = 0; seen = loan };
#endif
    unlock();
    tryAgain();
    if
    :: begun[i] && !runs[i]
#if defined(IMPATIENT)
    :: true
#elif defined(HURRIED)
    :: i == 0
#endif
    fi;
    /* Lending.beginWithdraw */
    lock();
    withdrawn[i] = 1;
    if
    :: resting[i] -> d_step { resting[i] = 0; threads++ }
    :: else
    fi;
    if
    :: loan == i && !begun[i] -> endLoan(); lookAgain()
    :: else
    fi;
    unlock();
    !begun[i] || back[i];               /* Offer.awaitReturn */
#ifndef BUG_GOES_ON_WHILE_LENT
    !lent;                              /* Lending.awaitOthers */
#endif
    d_step { working++; mayWork };
    d_step { working--; };
    leave();
    done++
}

/* Has what it was lent, and hands it back: Returns.giveBack, Returns.handBack */
proctype Borrower(byte i) {
    byte each;
    if
    :: runs[i] -> mayWork
    :: !runs[i] && done == PROCESSES -> goto end
    fi;
    lock();
    d_step { byBorrower--; carried++; runs[i] = 0; back[i] = 1; mayWork };
    endLoan();
    lookAgain();
    unlock();
end:
    skip
}

/* Goes inside by permit.call, works and leaves; SharedGlobal.awaitReturned while it is lent. */
proctype AtWork() {
    byte each;
    byte seen;
    bit awaited;
    bit joined;
    do
    :: atomic {
            if
            :: holds > 0 && !lent -> holds++; threads++; joined = 1
            :: else
            fi
        };
        if
        :: joined -> break
        :: !joined && holds == 0 -> break
        :: !joined && holds > 0 -> !lent || holds == 0
        fi
    od;
    if
    :: joined ->
        d_step { working++; mayWork };
        d_step { working--; };
        leave()
    :: else
    fi;
    done++
}

init {
    byte i;
    atomic {
        i = 0;
        do
        :: i < LENDERS -> run Lender(i); run Borrower(i); i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < AT_WORK -> run AtWork(); i++
        :: else -> break
        od
    };
    _nr_pr == 1 -> assert(free == 1 && carried == 0 && byBorrower == 0 && holds == 0 && !lent)
}

ltl everyTaskEnds { <> (done == PROCESSES) }
