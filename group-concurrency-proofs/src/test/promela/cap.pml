/*
 * The global limit that costs nothing until it binds: credits in stripes, and the ledger that collects them when they
 * run short. It stands alone, since engine.pml has the engine as it was before.
 * docs/internals/verification/model.md says which step stands for which line of the engine.
 *
 * One step is one compare-and-set or exchange, one volatile access, or a piece of a critical section with at most one of
 * those in it. A group has one layer of permits here. Each permit that is out carries a credit from the first finite
 * global limit on.
 *   GROUPS, FIRST, SECOND      how many groups; how many tasks in the first one and in each other one
 *   LIMIT, SECOND_LIMIT        of the first group, and of each other one
 *   STRIPES                    how many
 *   CAP                        the global limit that is in force from the start on; if not given, there is none
 *   BOUND                      the ledger is on from the start
 *   LIMITS                     how often the global limit is set, to NEXT_CAP and then to LAST_CAP
 *   NO_WAIT                    bit per task: an attempt that doesn't wait
 *   CANCELLED                  bit per task: it may leave the queue at any time
 *   BUSY                       the first group begins with a task that runs, and all its others wait
 *   BORN                       the groups are made after the limit was set
 *   WATCHED                    somebody waits for quiet
 *   LENDER                     a lender wants a credit for the global permit that it has lent
 *   TURNS                      whose turn it is, is counted (E2)
 *   HEADROOM                   so many of the last credits are only for groups that hold none beyond their guarantee (SH6)
 *   GUARANTEED                 bit per group: it is guaranteed one by its own name
 * With one of these two, who holds least beyond its guarantee comes first (SH2, SH3).
 * BUG_... seeds a bug, to see that it is found.
 */
#ifndef GROUPS
#define GROUPS 2
#endif
#ifndef FIRST
#define FIRST 1
#endif
#ifndef SECOND
#define SECOND 1
#endif
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef SECOND_LIMIT
#define SECOND_LIMIT LIMIT
#endif
#ifndef STRIPES
#define STRIPES 1
#endif
#ifndef LIMITS
#define LIMITS 0
#endif
#if LIMITS > 1 || (LIMITS && defined(CAP))
#define REPLACES
#endif
#ifndef NO_WAIT
#define NO_WAIT 0
#endif
#ifndef HEADROOM
#define HEADROOM 0
#endif
#ifndef GUARANTEED
#define GUARANTEED 0
#endif
#ifndef CANCELLED
#define CANCELLED 0
#endif
#ifndef THRESHOLD
#define THRESHOLD 1
#endif

#define BIT_OF(x) (1 << (x))
#define NODES (FIRST + (GROUPS - 1) * SECOND)
#define GROUP_OF(n) ((n) < FIRST -> 0 : 1 + ((n) - FIRST) / SECOND)
#define PLACE_OF(n) ((n) < FIRST -> (n) : ((n) - FIRST) % SECOND)
#define HOME(g) ((g) % STRIPES)
#define UNLIMITED 50
#define FROZEN 99

/* Task.work */
#define WAITING 0
#define GRANTED 1
#define GONE 2          /* it has left, or was refused, or has ended */

/* What came of a step that may have to be followed by another. */
#define AGAIN 0
#define YES 1
#define NO 2
#define NEEDS_CREDIT 3
#define GIVES_BACK 4

typedef Group {
    bit slow = 1;       /* word: by birth */
    bit wordCapped;     /* word */
    short free;         /* permits: in the word while fast, plain while slow */
    bit attached;       /* attached, and guard == ledger.lock: both change in one section */
    bit capped;
    bit locked;         /* own */
    byte limit;
}

Group group[GROUPS];
chan queue[GROUPS] = [NODES] of { byte };
byte work[NODES];
byte known;             /* bit per group: it is in Groups.groups */
byte arrived[GROUPS];   /* tasks of one group are numbered as they come: they are alike */
byte done;              /* bit per task */

/* Credits */
byte stripe[STRIPES] = FROZEN;

/* Ledger */
byte ledgerOwner;       /* _pid + 1 */
byte ledgerDepth;
bit on;
bit capped;             /* GlobalPermits.credits is there */
byte watchers;
bit reclaimer;          /* a lender waits for a credit */
byte limit = UNLIMITED;
short free = UNLIMITED;
chan ring = [GROUPS] of { byte };   /* its head is the turn */
#ifdef WATCHED
short inFlight;         /* the sum over attached groups */
bit quietSignalled;     /* Ledger.quiet */
#endif

/* What the witness counts by itself. */
byte running[GROUPS];
byte runningAll;
byte hands;             /* credits in somebody's hand, or owed */
byte inForce = UNLIMITED;
bit bound;              /* on, and the last stripe is frozen */
bit settled;            /* a finite limit was in force: all credits are accounted for */

/* Whoever has read GlobalPermits.credits before the limit changed finds stripes that stay frozen. */
bit replaced;

/* Scratch of d_steps, dead between them. */
hidden byte node;
hidden byte other;
hidden byte nth;
hidden byte share;
hidden byte hit;

#define isEligible(g) (len(queue[g]) > 0 && group[g].free > 0)
#define held(g) (group[g].limit - group[g].free)
/* Less than nothing: it is below its guarantee. */
#define beyond(g) (held(g) - ((GUARANTEED >> (g)) & 1))
#ifdef BUG_GUARANTEES_NOTHING
#define placeOf(g) held(g)
#else
#define placeOf(g) beyond(g)
#endif
/* Ledger.mayTake; all weights are 1 */
#ifdef BUG_HEADROOM_FOR_ALL
#define mayTake(g) (free > 0)
#else
#define mayTake(g) (free > HEADROOM || (free > 0 && beyond(g) <= 0))
#endif
/* The ledger has the credits of this group. */
#define byLedger(g) (group[g].attached && (on || !group[g].capped))

/* ---- the witness */

#if STRIPES == 1
#define IN_STRIPES (stripe[0] == FROZEN -> 0 : stripe[0])
#else
#define IN_STRIPES ((stripe[0] == FROZEN -> 0 : stripe[0]) + (stripe[1] == FROZEN -> 0 : stripe[1]))
#endif

/* At each step that moves a credit (I3). */
#define conserved assert(!settled || IN_STRIPES + free + hands + runningAll == limit)

inline witnessStart(g) {
    running[g]++;
    runningAll++;
    assert(running[g] <= group[g].limit)                /* I1 */
}

#define witnessGlobal assert(runningAll + hands <= inForce)  /* I1: when a credit is taken, or something starts without */

#ifdef TURNS
/* For each pair: how many other started since the head of g became the head while g was in the ring. */
typedef Starts { byte by[GROUPS] }
Starts since[GROUPS];

/* h has started one by its turn, or by a free credit that the ledger has. */
inline witnessTurn(h) {
    nth = 0;
    do
    :: nth < GROUPS ->
        if
        :: nth != h && ring??[eval(nth)] && isEligible(nth) ->
            since[nth].by[h]++;
            assert(since[nth].by[h] <= 1)               /* E2 */
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
#else
#define witnessTurn(h) skip
#define forgetStarts(g) skip
#endif

#if GUARANTEED
/* Before h gets one: nobody else who could have it is below a guarantee, unless h is too (SH2). */
inline witnessGuarantees(h) {
    nth = 0;
    do
    :: nth < GROUPS ->
        assert(nth == h || beyond(h) < 0 || beyond(nth) >= 0 || !group[nth].attached || !isEligible(nth));
        nth++
    :: else -> nth = 0; break
    od
}
#else
#define witnessGuarantees(h) skip
#endif

#ifdef WATCHED
#define counted(g, n) if :: group[g].attached -> inFlight = inFlight + n :: else fi
#else
#define counted(g, n) skip
#endif

/* ---- credits: Credits.tryTake, Credits.tryGive */

/* The stripe of the group first, then the next; a frozen one ends the search. */
inline tryTakeCredit(g, got) {
    do
#ifdef REPLACES
    :: replaced -> i = 0; break
#endif
    :: atomic {
        d_step {
            nth = (HOME(g) + i) % STRIPES;
            if
            :: stripe[nth] == FROZEN -> result = NO
            :: stripe[nth] == 0 -> i++;
                if
                :: i == STRIPES -> result = NO
                :: else -> result = AGAIN
                fi
            :: else ->
                stripe[nth]--;
                hands++;
                got = 1;
                result = YES;
                assert(!bound);                         /* E2: nobody passes the ring */
                assert(free >= HEADROOM);               /* SH6 */
                witnessGlobal;
                conserved
            fi;
            nth = 0
        };
        if
        :: result == AGAIN
        :: else -> i = 0; result = AGAIN; break
        fi
       }
    od;
    skip    /* no jump leads to a d_step */
}

/* Clears credit if the stripe wasn't frozen. */
inline tryGiveCredit(g, credit) {
#ifdef REPLACES
    if
    :: replaced
    :: true -> tryGiveCreditNow(g, credit)
    fi
#else
    tryGiveCreditNow(g, credit)
#endif
}

inline tryGiveCreditNow(g, credit) {
    d_step {
        if
        :: stripe[HOME(g)] != FROZEN ->
            stripe[HOME(g)]++;
            hands--;
            credit = 0;
            conserved
        :: else
        fi
    }
}

/* ---- turns */

inline leaveRing(g) {
    if
    :: ring??[eval(g)] -> ring??eval(g)
    :: else
    fi
}

inline joinRing(g) {
    if
    :: ring??[eval(g)]
    :: else -> ring!g; forgetStarts(g)
    fi
}

/* GroupState.grantHead: one turn of its loop. hit says whether the head still wanted it. */
inline popHead(g) {
    queue[g]?node;
    forgetStarts(g);
    hit = work[node] == WAITING;
    if
    :: hit -> work[node] = GRANTED; group[g].free--
    :: else
    fi
}

/* Ledger.drain */
inline drain() {
#ifdef LENDER
    if
    :: reclaimer && free > 0 -> reclaimer = 0; free--; runningAll++; witnessGlobal
    :: else
    fi;
#endif
    do
    :: len(ring) > 0 ->
        ring?<other>;
#if HEADROOM || GUARANTEED
        /* Turns.first */
        nth = 0;
        do
        :: nth < GROUPS ->
            if
            :: ring??[eval(nth)] && placeOf(nth) < placeOf(other) -> other = nth
            :: else
            fi;
            nth++
        :: else -> nth = 0; break
        od;
#endif
        if
        :: !isEligible(other) -> leaveRing(other)
        :: isEligible(other) && !mayTake(other) -> break
        :: else ->
            assert(group[other].attached);
            witnessGuarantees(other);
            popHead(other);
            if
            :: hit ->
                free--;
                assert(beyond(other) <= 1 || free >= HEADROOM);         /* SH6 */
                counted(other, 1);
                witnessStart(other);
                witnessGlobal;
                witnessTurn(other);
                leaveRing(other);
                ring!other
            :: else
            fi;
            if
            :: !isEligible(other) -> leaveRing(other)
            :: else
            fi
        fi
    :: else -> break
    od;
    conserved
}

/* Ledger.dispatch */
inline dispatch(g) {
    if
    :: isEligible(g) -> joinRing(g)
    :: else -> leaveRing(g)
    fi;
    drain();
#ifdef WATCHED
    if
    :: watchers && inFlight == 0 -> quietSignalled = 1
    :: else
    fi
#endif
}

/* ---- the ledger's lock */

#define LEDGER_IS_MINE (ledgerOwner == _pid + 1)

inline lockLedger() {
    atomic { ledgerOwner == 0 || LEDGER_IS_MINE -> d_step { ledgerOwner = _pid + 1; ledgerDepth++ } }
}

/* Ledger.bind; by who has the ledger's lock. */
inline bind() {
    if
    :: on
    :: !on -> on = 1;
#ifndef BUG_FLAG_WITHOUT_FREEZE
        do
        :: atomic { capped && i < STRIPES -> d_step {
#ifndef BUG_FREEZE_LOSES
            if
            :: stripe[i] != FROZEN -> free = free + stripe[i]
            :: else
            fi;
#endif
            stripe[i] = FROZEN;
            conserved;
            i++;
            bound = i == STRIPES } }
        :: atomic { !capped || i == STRIPES -> i = 0; bound = 1; break }
        od
#else
        bound = 1
#endif
    fi;
    skip
}

#ifdef BUG_THAWS_THE_HEADROOM
#define KEPT 0
#else
#define KEPT HEADROOM
#endif

#if defined(BUG_THAWS_WITH_A_GROUP_IN_THE_RING)
#define isThawable (!watchers && !reclaimer && free >= 0)
#elif defined(BUG_THAWS_WITH_A_RECLAIMER)
#define isThawable (!watchers && len(ring) == 0 && free >= 0)
#else
#define isThawable (!watchers && !reclaimer && len(ring) == 0 && free - KEPT >= THRESHOLD)
#endif

/* Ledger.settle, and to unlock: some sections may have to pass before it thaws, so whether it does is open. */
inline unlockLedger() {
    if
    :: atomic { ledgerDepth > 1 -> ledgerDepth-- }
    :: atomic { ledgerDepth == 1 && on -> ledgerDepth = 0; ledgerOwner = 0 }
    :: atomic { ledgerDepth == 1 && !on && (!capped || free == KEPT) -> ledgerDepth = 0; ledgerOwner = 0 }
    :: atomic { ledgerDepth == 1 && !on && capped && free != KEPT -> d_step {
        assert(free > KEPT && stripe[0] != FROZEN);
        stripe[0] = stripe[0] + free - KEPT;
        free = KEPT;
        conserved;
        ledgerDepth = 0;
        ledgerOwner = 0 } }
    :: atomic { ledgerDepth == 1 && on && !capped && !watchers -> on = 0; bound = 0 };
        d_step { ledgerDepth = 0; ledgerOwner = 0 }
    :: atomic { ledgerDepth == 1 && on && capped && isThawable -> on = 0; bound = 0 };
        do
        :: atomic {
            d_step {
                share = (free - KEPT + STRIPES - 1 - i) / (STRIPES - i);
                stripe[i] = share;
                free = free - share;
                conserved;
                i++;
                if
                :: i == STRIPES -> ledgerDepth = 0; ledgerOwner = 0
                :: else
                fi
            };
            if
            :: i < STRIPES
            :: else -> i = 0; break
            fi
           }
        od
    fi;
    skip
}

/* GuardedGroup.attach, by who has the ledger's lock; waits for the own lock. */
inline attach(g) {
    if
    :: group[g].attached -> group[g].capped = capped
    :: atomic { !group[g].attached && !group[g].locked -> d_step {
        group[g].slow = 1;
        group[g].attached = 1;
        counted(g, group[g].limit - group[g].free);
        if
        :: !group[g].capped -> free = free - (group[g].limit - group[g].free)
        :: else
        fi;
        group[g].capped = capped;
        conserved
       } }
    fi
}

/* ---- the critical section of a group */

#ifdef BUG_MISSES_THE_FIRST_LIMIT
#define mustAttach(g) on
#else
#define mustAttach(g) (on || (!group[g].capped && capped))
#endif

/* GuardedGroup.enter */
inline enter(g) {
    do
    :: guardRead = group[g].attached;
        if
        :: atomic { guardRead && (ledgerOwner == 0 || LEDGER_IS_MINE) -> d_step { ledgerOwner = _pid + 1; ledgerDepth++ } }
        :: atomic { !guardRead && !group[g].locked -> group[g].locked = 1 }
        fi;
        if
        :: atomic { guardRead != group[g].attached -> d_step {
            if
            :: guardRead -> ledgerDepth--;
                if
                :: ledgerDepth == 0 -> ledgerOwner = 0
                :: else
                fi
            :: else -> group[g].locked = 0
            fi } }
        :: atomic { guardRead == group[g].attached && !guardRead && mustAttach(g) -> group[g].locked = 0 };
            lockLedger();
            attach(g);
            unlockLedger()
        :: atomic { guardRead == group[g].attached && (guardRead || !mustAttach(g)) -> guardRead = 0; break }
        fi
    od;
    group[g].slow = 1
}

/* The group detaches if it can; the release write of the word; and to unlock, if the guard is the own lock. */
inline leave(g) {
    assert(group[g].free + running[g] == group[g].limit);               /* I3 */
    ledgerIsMine = group[g].attached;
    if
    :: group[g].attached && on ->
        assert((isEligible(g) && ring??[eval(g)] && !mayTake(g)) || (!isEligible(g) && !(ring??[eval(g)])))    /* I4 */
    :: group[g].attached && !on ->
        assert(!(ring??[eval(g)]));
        counted(g, -(group[g].limit - group[g].free));
        if
        :: !group[g].capped -> free = free + group[g].limit - group[g].free
        :: else
        fi;
        group[g].attached = 0
    :: else -> assert(!isEligible(g) || lacksCredit)
    fi;
    if
    :: len(queue[g]) == 0 && !group[g].attached && group[g].free >= 0 ->
        group[g].wordCapped = group[g].capped;
        group[g].slow = 0
    :: else
    fi;
    if
    :: !ledgerIsMine -> group[g].locked = 0
    :: else
    fi
}

/* GuardedGroup.exit under the ledger's lock, once it is on. */
inline exitBound(g) {
    d_step {
        assert(group[g].attached && on && ledgerDepth > 1);
        dispatch(g);
        leave(g);
        ledgerIsMine = 0;
        ledgerDepth--
    }
}

/* GuardedGroup.exit: grants what it can, sees to what it can't grant, and leaves. */
inline exit(g) {
    do
    :: atomic {
        d_step {
            if
            :: byLedger(g) -> dispatch(g); result = YES
            :: !byLedger(g) && !isEligible(g) -> result = (hand -> GIVES_BACK : YES)
            :: !byLedger(g) && isEligible(g) && group[g].capped && !hand -> result = NEEDS_CREDIT
            :: else ->
                popHead(g);
                if
                :: hit ->
                    witnessStart(g);
                    counted(g, 1);
                    if
                    :: hand -> hand = 0; hands--
                    :: else -> witnessGlobal
                    fi;
                    conserved
                :: else
                fi;
                result = AGAIN
            fi
        };
        if
        :: result == AGAIN
        :: result == YES -> result = AGAIN; break
        :: result == NEEDS_CREDIT
        :: result == GIVES_BACK
        fi
       };
        if
        :: result == AGAIN
        :: result == GIVES_BACK -> result = AGAIN; tryGiveCredit(g, hand); owed = owed + hand; hand = 0; break
        :: result == NEEDS_CREDIT -> result = AGAIN;
            tryTakeCredit(g, hand);
            if
            :: hand
            :: !hand && group[g].attached -> bind(); d_step { dispatch(g) }; break
            :: !hand && !group[g].attached -> lacksCredit = 1; break
            fi
        fi
    od;
    skip;
    d_step { leave(g) };
    if
    :: ledgerIsMine -> ledgerIsMine = 0; unlockLedger()
    :: !ledgerIsMine
    fi;
    if
#ifdef BUG_LEAVES_WITHOUT_BINDING
    :: lacksCredit && !owed -> lacksCredit = 0
#endif
    :: owed || lacksCredit ->
        lockLedger();
        d_step {
            if
            :: owed -> hands = hands - owed; free = free + owed; owed = 0; conserved
            :: else
            fi;
            if
            :: !lacksCredit -> drain()
            :: else
            fi
        };
        if
        :: lacksCredit -> lacksCredit = 0;
            bind();
#ifdef BUG_BINDS_WITHOUT_ENTERING
            d_step { drain() }
#else
            enter(g);
            exitBound(g)
#endif
        :: !lacksCredit
        fi;
        unlockLedger()
    :: !(owed || lacksCredit)
    fi
}

/* Without any lock. */
inline putBack(g) {
    tryGiveCredit(g, hand);
    if
    :: !hand
#ifdef BUG_GIVE_TO_FROZEN_IS_DROPPED
    :: hand -> hand = 0
#else
    :: hand ->
        lockLedger();
        d_step { hand = 0; hands--; free++; drain() };
        unlockLedger()
#endif
    fi
}

/* Group.tryTakeFast: to read the word again after a failed compare-and-set has no effect. */
inline tryTakeFast(g, taken) {
    do
    :: atomic {
        d_step {
            if
            :: group[g].slow || group[g].free == 0 -> result = NO
            :: else ->
#ifdef BUG_MODE_NOT_IN_THE_WORD
                if
                :: !hand && !sawUncapped -> result = NEEDS_CREDIT; sawUncapped = !group[g].wordCapped
#else
                if
                :: group[g].wordCapped && !hand -> result = NEEDS_CREDIT
#endif
                :: else ->
                    group[g].free--;
                    witnessStart(g);
                    if
                    :: hand -> hand = 0; hands--
                    :: else -> witnessGlobal
                    fi;
                    conserved;
                    result = YES
                fi
            fi
        };
        if
        :: result == NEEDS_CREDIT -> result = AGAIN
        :: result == NO -> result = AGAIN; break
        :: result == YES -> result = AGAIN; taken = 1; break
        fi
       };
#ifdef BUG_MODE_NOT_IN_THE_WORD
        if
        :: sawUncapped
        :: !sawUncapped -> tryTakeCredit(g, hand);
            if
            :: hand
            :: !hand -> break
            fi
        fi
#else
        tryTakeCredit(g, hand);
        if
        :: hand
        :: !hand -> break
        fi
#endif
    od;
    if
    :: taken || !hand
    :: !taken && hand ->
#ifdef BUG_CREDIT_NOT_PUT_BACK
        hand = 0
#else
        putBack(g)
#endif
    fi
}

/* Group.admit, inside: result is NO if nothing but a credit lacks and the ledger isn't on. */
inline queueOrRefuse(g) {
    if
    :: BIT_OF(me) & NO_WAIT ->
        work[me] = GONE;
        assert(group[g].free == 0 || len(queue[g]) > 0 || runningAll + hands >= inForce - (beyond(g) <= 0 -> 0 : HEADROOM))
    :: else -> queue[g]!me
    fi
}

inline decide(g) {
    d_step {
        if
        :: len(queue[g]) == 0 && group[g].free > 0 ->
            if
            :: byLedger(g) ->
                if
                :: mayTake(g) ->
                    witnessGuarantees(g);
                    free--;
                    group[g].free--;
                    assert(beyond(g) <= 1 || free >= HEADROOM);         /* SH6 */
                    counted(g, 1);
                    work[me] = GRANTED;
                    witnessStart(g);
                    witnessGlobal;
                    witnessTurn(g);
                    conserved
                :: else -> queueOrRefuse(g)
                fi
            :: !byLedger(g) && group[g].capped -> needsCredit = 1
            :: else -> group[g].free--; counted(g, 1); work[me] = GRANTED; witnessStart(g); witnessGlobal
            fi
        :: else -> queueOrRefuse(g)
        fi
    };
    if
    :: !needsCredit
    :: needsCredit -> needsCredit = 0;
        tryTakeCredit(g, hand);
        d_step {
            if
            :: hand ->
                hand = 0;
                hands--;
                group[g].free--;
                counted(g, 1);
                work[me] = GRANTED;
                witnessStart(g);
                conserved
            :: else -> undecided = 1
            fi
        }
    fi
}

proctype Task(byte me) {
    byte g = GROUP_OF(me);
    bit guardRead;
    bit ledgerIsMine;
    bit hand;
    byte owed;
    bit lacksCredit;
    bit needsCredit;
    bit undecided;
    bit taken;
    byte result;
    byte i;
#ifdef BUG_MODE_NOT_IN_THE_WORD
    bit sawUncapped;
#endif

#ifdef BUSY
    if
    :: me < FIRST -> goto waits
    :: me >= FIRST
    fi;
#endif
    /* Groups.group: it makes the group if need be, and then puts it into the map. */
    atomic { arrived[g] == PLACE_OF(me) -> arrived[g]++; taken = capped };
    d_step {
        if
        :: !(known & BIT_OF(g)) -> known = known | BIT_OF(g); group[g].capped = taken
        :: else
        fi;
        taken = 0
    };
    tryTakeFast(g, taken);
    if
    :: taken -> d_step { taken = 0; work[me] = GRANTED }
    :: else ->
        enter(g);
        decide(g);
        exit(g);
        if
        :: !undecided
        :: undecided -> undecided = 0;
#ifdef BUG_REFUSES_WHILE_LOOSE
            if
            :: BIT_OF(me) & NO_WAIT -> d_step { work[me] = GONE; assert(runningAll + hands >= inForce) }; goto over
            :: else
            fi;
#endif
            lockLedger();
            bind();
            enter(g);
            decide(g);
            assert(!undecided);
            exitBound(g);
            unlockLedger()
        fi
    fi;

#ifdef BUSY
waits:
#endif
    if
    :: work[me] == GONE -> goto over
    :: work[me] == GRANTED
    fi;
    /* Run.finish, Group.tryGiveBackFast */
    d_step {
        work[me] = GONE;
        if
        :: !group[g].slow ->
            taken = 1;
            group[g].free++;
            running[g]--;
            runningAll--;
            if
            :: group[g].wordCapped -> hand = 1; hands++
            :: else
            fi;
            conserved
        :: else
        fi
    };
    if
    :: taken -> taken = 0;
        if
        :: hand -> putBack(g)
        :: !hand
        fi;
        goto over
    :: !taken
    fi;
    /* Group.passOn: under the own lock, with one look at the flag. */
    if
    :: group[g].attached
    :: atomic { !group[g].attached && !group[g].locked -> d_step {
#ifdef BUG_PASSES_ON_UNSEEN
        taken = group[g].slow && len(queue[g]) > 1 && group[g].free == 0;
#else
        taken = !on && group[g].slow && len(queue[g]) > 1 && group[g].free == 0;
#endif
        if
        :: taken ->
            queue[g]?<node>;
            taken = work[node] == WAITING;
            if
            :: taken ->
                queue[g]?node;
                work[node] = GRANTED;
                assert(!bound)                          /* E2: nobody passes the ring */
            :: else
            fi
        :: else
        fi } }
    fi;
    if
    :: taken -> taken = 0; goto over
    :: !taken
    fi;
    enter(g);
    d_step {
        group[g].free++;
        counted(g, -1);
        running[g]--;
        runningAll--;
        if
        :: byLedger(g) -> free++
        :: !byLedger(g) && group[g].capped -> owed = 1; hands++
        :: else
        fi;
        conserved
    };
    if
    :: owed -> tryGiveCredit(g, owed)
    :: !owed
    fi;
#ifdef BUG_GIVE_TO_FROZEN_IS_DROPPED
    owed = 0;
#endif
    exit(g);
over:
    skip;
    d_step { done = done | BIT_OF(me); g = 0 }
}

#if CANCELLED
/* Task.cancel and Group.withdraw */
proctype Canceller(byte me) {
    byte g = GROUP_OF(me);
    bit guardRead;
    bit ledgerIsMine;
    bit hand;
    byte owed;
    bit lacksCredit;
    byte result;
    byte i;

    if
    :: atomic { work[me] == WAITING && queue[g]??[eval(me)] -> work[me] = GONE };
        enter(g);
        d_step {
            if
            :: queue[g]??[eval(me)] -> queue[g]??eval(me)
            :: else
            fi
        };
        exit(g)
    :: work[me] != WAITING
    fi;
    d_step { g = 0; me = 0 }
}
#endif

/* Ledger.watch: each group in a critical section of its own; somebody watches meanwhile */
inline attachAll() {
    i = 0;
    do
    :: i < GROUPS ->
        if
        :: known & BIT_OF(i) -> lockLedger(); attach(i); unlockLedger()
        :: else
        fi;
        i++
    :: else -> i = 0; break
    od;
    skip
}

#if LIMITS
/* Ledger.watchFirstLimit, Ledger.setLimits */
inline setGlobalLimit(size) {
    if
    :: !capped ->
        lockLedger();
        /* The stripes are frozen when they are made. */
        capped = 1;
        on = 1;
        bound = 1;
        watchers++;
        unlockLedger();
        attachAll();
        lockLedger();
        watchers--
    :: capped ->
        lockLedger();
        bind();
        replaced = 1
    fi;
    d_step {
        free = free + size - limit;
        limit = size;
        inForce = size;
        settled = 1;
        drain()
    };
    unlockLedger()
}

proctype Control() {
    byte i;

    setGlobalLimit(NEXT_CAP);
#if LIMITS > 1
    setGlobalLimit(LAST_CAP)
#endif
}
#endif

#ifdef LENDER
/* Lending.reclaim, ListedOffers.addReclaimer; then it gives the permit back for good. */
proctype Lender() {
    bit hand;
    byte i;

    lockLedger();
    bind();
    d_step { reclaimer = 1; drain() };
    unlockLedger();
    !reclaimer;
    d_step { runningAll--; hands++; hand = 1 };
    putBack(0)
}
#endif

#ifdef WATCHED
#define isQuiet (inFlight == 0 && len(queue[0]) + len(queue[GROUPS - 1]) * (GROUPS > 1) == 0)

/* Ledger.watch, Lifecycle.awaitQuiet, Ledger.unwatch */
proctype Watcher() {
    byte i;

    lockLedger();
    bind();
    watchers++;
    unlockLedger();
    attachAll();
    lockLedger();
    do
    :: atomic { isQuiet -> assert(runningAll == 0); break }
    :: atomic { !isQuiet -> d_step { quietSignalled = 0; ledgerDepth = 0; ledgerOwner = 0 } };
        quietSignalled;
        lockLedger()
    od;
    watchers--;
    unlockLedger()
}
#endif

init {
    byte i;

    d_step {
        nth = 0;
        do
        :: nth < GROUPS ->
            group[nth].limit = (nth == 0 -> LIMIT : SECOND_LIMIT);
            group[nth].free = group[nth].limit;
#if defined(CAP) && !defined(BORN)
            known = known | BIT_OF(nth);
            group[nth].capped = 1;
            group[nth].wordCapped = 1;
            group[nth].slow = 0;
#endif
            nth++
        :: else -> nth = 0; break
        od;
#ifdef CAP
        limit = CAP;
        inForce = CAP;
        free = CAP;
        capped = 1;
        settled = 1;
#ifdef BUSY
        /* The first group's first task runs, and all its others wait. */
        free--;
        group[0].free--;
        group[0].slow = 1;
        arrived[0] = FIRST;
        work[0] = GRANTED;
        running[0] = 1;
        runningAll = 1;
        nth = 1;
        do
        :: nth < FIRST -> queue[0]!nth; nth++
        :: else -> nth = 0; break
        od;
#endif
#ifdef BOUND
        on = 1;
        bound = 1;
#else
        do
        :: nth < STRIPES ->
            share = (free - KEPT + STRIPES - 1 - nth) / (STRIPES - nth);
            stripe[nth] = share;
            free = free - share;
            nth++
        :: else -> nth = 0; break
        od;
#endif
#endif
        conserved
    };
    atomic {
        do
        :: i < NODES -> run Task(i); i++
        :: else -> i = 0; break
        od;
#if CANCELLED
        do
        :: i < NODES ->
            if
            :: BIT_OF(i) & CANCELLED -> run Canceller(i)
            :: else
            fi;
            i++
        :: else -> i = 0; break
        od;
#endif
#if LIMITS
        run Control();
#endif
#ifdef WATCHED
        run Watcher();
#endif
#ifdef LENDER
        run Lender();
#endif
    };
    _nr_pr == 1;
    atomic {
        assert(done == BIT_OF(NODES) - 1);                      /* I2, I6 */
        do
        :: i < GROUPS ->
            assert(running[i] == 0 && group[i].free == group[i].limit && len(queue[i]) == 0);
            i++
        :: else -> break
        od;
        assert(runningAll == 0 && hands == 0 && len(ring) == 0 && !watchers);       /* I3 */
        assert(!settled || IN_STRIPES + free == limit)
    }
}

ltl everyTaskEnds { <> (done == BIT_OF(NODES) - 1) }
