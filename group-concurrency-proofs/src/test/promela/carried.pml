/*
 * The first limit over all groups is set while calls of a group begin and end, some of which are carried: they have no global
 * permit, and the group counts them beside its word. Each of them learns from the count whether the capping has seen it, and
 * so whether it has a credit that it has to give back.
 */
#ifndef CARRIED
#define CARRIED 2       /* calls that are carried */
#endif
#ifndef PLAIN
#define PLAIN 1         /* calls with a global permit of their own */
#endif
#define CAP 2
#define PROCESSES (CARRIED + PLAIN + 1)

/* FreePermits.word, whose limits nothing reaches, and FreePermits.capped */
bit slow;
bit cappedWord;
bit capped;
byte out;
bit guardLocked;

/* Counters.carried: those that have begun, and those of them that have ended well; whether the capping has marked each */
byte begun;
byte ended;
bit begunMarked;
bit endedMarked;

/* What is free once the capping is over */
short credits;
bit limited;

/* The witness */
byte plainOut;          /* with a global permit of their own */
byte done;

#define isStrict (!limited || credits + plainOut <= CAP)

inline lock() { atomic { !guardLocked -> guardLocked = 1 } }
inline unlock() { guardLocked = 0 }

/* FreePermits.tryTakeCarried */
inline take() {
    atomic {
        if
        :: !slow -> out++; taken = 1; wasCapped = cappedWord
        :: else
        fi
    }
}

/* Counters.carriedBegins */
inline count() { d_step { marked = begunMarked; begun++ } }

/* Counters.carriedEnded, or Counters.carriedNoMore */
inline uncount() {
    if
    :: d_step { marked = endedMarked; ended++ }
    :: d_step { marked = begunMarked; begun-- }
    fi
}

/* Group.release, if it has a credit once the group is capped; Group.releaseCarried if not */
inline giveBack(credited) {
    givenBack = 0;
    atomic {
        if
        :: !slow -> out--; givenBack = 1; wasCapped = cappedWord
        :: else
        fi
    };
    if
    :: givenBack && credited && wasCapped -> atomic { credits++; assert(isStrict) }
    :: givenBack && !(credited && wasCapped)
    :: !givenBack ->
        lock();
        d_step {
            out--;
            if
            :: credited && capped -> credits++
            :: else
            fi
        };
        assert(isStrict);
        unlock()
    fi
}

/* Group.tryTakeCarriedFast, Group.releaseCarried */
proctype Carried() {
    bit taken;
    bit marked;
    bit wasCapped;
    bit givenBack;
#ifdef BUG_COUNTS_FIRST
    count();
    take();
    if
    :: !taken -> uncount()
    :: else
    fi;
#else
    take();
    if
    :: taken -> count()
    :: else
    fi;
#endif
    if
    :: taken ->
#ifndef BUG_KEEPS_THE_CREDIT
        if
        :: marked && !wasCapped -> atomic { credits++; assert(isStrict) }
        :: else
        fi;
#endif
#ifdef BUG_GIVES_BACK_FIRST
        marked = endedMarked;
        giveBack(!marked);
        uncount()
#else
        uncount();
        giveBack(!marked)
#endif
    :: else
    fi;
    done++
}

/* Group.tryTakeFast, Group.release */
proctype Plain() {
    bit wasCapped;
    bit givenBack;
    bit credit;
    wasCapped = cappedWord;
    if
    :: wasCapped ->
        atomic {
            if
            :: credits > 0 -> credits--; credit = 1
            :: else
            fi
        }
    :: else
    fi;
    if
    :: wasCapped && !credit -> goto end
    :: else
    fi;
    atomic {
        if
        :: !slow && cappedWord == wasCapped -> out++; plainOut++; assert(isStrict); givenBack = 1
        :: else
        fi
    };
    if
    :: givenBack ->
        plainOut--;
        giveBack(1)
    :: credit && !givenBack -> atomic { credits++; assert(isStrict) }
    :: else
    fi;
end:
    done++
}

/* GuardedGroup.attach, GroupState.becomeCapped, Counters.cap */
proctype Capper() {
    short seen;
    lock();
    slow = 1;
    d_step { seen = 0 - ended; endedMarked = 1 };
    d_step { seen = seen + begun; begunMarked = 1 };
    atomic { credits = credits + CAP + seen - out; limited = 1; capped = 1; assert(isStrict) };
    d_step { slow = 0; cappedWord = 1 };
    unlock();
    done++
}

init {
    byte i;
    atomic {
        run Capper();
        i = 0;
        do
        :: i < CARRIED -> run Carried(); i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < PLAIN -> run Plain(); i++
        :: else -> break
        od
    };
    _nr_pr == 1 -> assert(done == PROCESSES && out == 0 && credits == CAP && begun == ended)
}

ltl everyTaskEnds { <> (done == PROCESSES) }
