/*
 * A limit over several instances (docs/internals/cluster.md): nodes lease capacity of one group from a store. Each node has
 * a thread that speaks to the store, and an engine that starts work by what is leased. A statement, once made, may be
 * carried out at any time, late, several times or never; an answer may be lost.
 *
 * A term is how long what is leased counts without a break. A thread of the engine reads the term, takes a permit, and then
 * goes by the deadline of that term, whatever has become of it. A term that was lost is over for good. So of the term it is
 * enough to know whether it goes on; and who has read it early may have read one that is over by the time he takes.
 *
 * There are no clocks. What the times of the protocol are to ensure is said by three axioms:
 *
 * A1  When a session is over, what a node leases by the statement that the store carried out last in it, or by an earlier
 *     one, counts no more.
 * A2  When an epoch has been learnt, what a node leases by a statement made before that epoch counts no more.
 * A3  A server that is the store again, after another one that has been for long enough to grant, begins a new epoch.
 *
 * A node that doesn't stand still has also noticed by then (A1, A2), and has given up a statement of that age.
 *
 * LIMIT        the group's
 * STATEMENTS   how many each node makes; also those that open a session
 * OTHERS       how many the second one makes, if fewer
 * SESSIONS     how many each node has
 * AT_FIRST     how many nodes have opened a session at first; 0: the store is empty
 * BARE         statements may leave the group out, as a heartbeat of a node with many groups does
 * STALLS       how many nodes may stand still, at any point, and for as long as they like
 * SHORT        all work is shorter than the margin: what began while a lease counted has ended by A1 and A2
 * FORGETS      how often the store forgets everything
 * RETURNS      how often the store returns to an earlier copy; the server's run id stays, and its replication id doesn't
 * SWAPS        how often another server becomes the store: first a second one, which is empty, then the first again
 * REPLICA      the second server has a copy of what the first one remembers
 * QUICK        the second server is the store too shortly for A3; what then happens isn't promised
 *
 * SEES_... assert that something is never reached, so as to show that it is.
 */
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef STATEMENTS
#define STATEMENTS 3
#endif
#ifndef OTHERS
#define OTHERS STATEMENTS
#endif
#define most(n) (n == 0 -> STATEMENTS : OTHERS)
#ifndef SESSIONS
#define SESSIONS 2
#endif
#ifndef AT_FIRST
#define AT_FIRST 2
#endif
#ifndef STALLS
#define STALLS 0
#endif
#ifndef FORGETS
#define FORGETS 0
#endif
#ifndef RETURNS
#define RETURNS 0
#endif
#ifndef SWAPS
#define SWAPS 0
#endif
#if SWAPS
#define SERVERS 2
#else
#define SERVERS 1
#endif

/* Whether what is leased counts. */
#define NOTHING_COUNTS 0    /* there is no deadline: nothing is leased */
#define COUNTS 1
#define OVER 2              /* the deadline has passed, which the node has not noticed */

/* What became of the newest statement. */
#define SETTLED 0           /* heard, or given up */
#define UNDER_WAY 1
#define TAKEN 2             /* its answer is taken, and the deadline is to be moved */

/* Answers. */
#define NO_ANSWER 0
#define OK 1
#define GONE 2
#define STALE 3

/* A number of an epoch: a counter, and below it what tells apart those with the same counter. */
#define counter(epoch) ((epoch) >> 3)
#define greater(a, b) (a > b -> a : b)
#define isForeign(stated, stored) (stated != stored && counter(stated) >= counter(stored))

typedef Statement {
    bit opens;
    bit bare;               /* says nothing of the group */
    bit session;
    bit to;                 /* the server that was the store */
    unsigned has : 2;
    unsigned epoch : 6
};

typedef Node {
    Statement says[STATEMENTS];
    unsigned made : 3;      /* statements; a statement's number is its sequence */
    unsigned newest : 2;    /* what became of the one made last */
    bit late;               /* what it would lease counts no more */
    unsigned leasedThen : 2;
    unsigned session : 2;   /* SESSIONS: it has had all */
    bit open;
    unsigned epoch : 6;     /* that it last heard of */
    bit unsaid;             /* the store is to be told of what it has */
    unsigned lease : 2;     /* whether what it leases counts, */
    unsigned by : 3;        /* by which statement */
    unsigned leased : 2;    /* how many the engine may have in flight */
    unsigned out : 2;       /* how many it has, */
    unsigned unchecked : 2; /* of which so many were taken in the present term, and not compared with its deadline, */
    unsigned past : 2;      /* and so many in a term that is over, and not given back */
    unsigned answer : 2;    /* that has arrived, and isn't taken */
    unsigned answerEpoch : 6;
    unsigned answerCounted : 2;
#ifdef SHORT
    unsigned startedBy : 3; /* the statement by which something was leased when work of this node last began */
#endif
    unsigned uncounted : 2  /* the witness: how many ran when the store ceased to count them */
};

typedef Session {
    bit lives;
    unsigned sequence : 3;
    unsigned counted : 2
};

typedef SessionsOf {
    Session sessions[SESSIONS];
    unsigned before : 3     /* while it learns: how many statements the node had made when the epoch began */
};

/* What a store remembers; lost or kept as a whole. */
typedef Memory {
    bit isThere;
    bit learns;
    bit runId;               /* the server's run id, */
    bit replication;        /* and its replication id, as they were when the epoch began */
    unsigned epoch : 6;
    SessionsOf by[2]
};

Node nodes[2];
Memory memory[SERVERS];
unsigned begun : 3;         /* epochs */
#if SERVERS > 1
bit reigning;               /* the server that is the store */
bit gap;                    /* the first server finds that another one may have been the store */
unsigned swaps : 2;
#else
#define reigning 0
#endif
#if RETURNS
Memory copy;
bit replication[SERVERS];   /* the servers' replication ids */
unsigned returns : 1;
#endif
#if FORGETS
unsigned forgets : 2;
#endif

#ifdef SEES_HAND_OVER
bit hasStarted[2];
bit hasReaped;
#endif

#define store memory[reigning]
#define has(n) (nodes[n].out > nodes[n].leased -> nodes[n].out : nodes[n].leased)
#define runs(n) (nodes[n].out - nodes[n].unchecked - nodes[n].past)
#define mayStall(n) (n < STALLS)
#if SESSIONS > 1
#define counted(server, n) (memory[server].by[n].sessions[0].counted + memory[server].by[n].sessions[1].counted)
#else
#define counted(server, n) (memory[server].by[n].sessions[0].counted)
#endif
#define allCounted(server) (counted(server, 0) + counted(server, 1))

#define left(n) (runs(n) > counted(reigning, n) -> runs(n) - counted(reigning, n) : 0)
#ifdef SHORT
#define isExcused(n) (mayStall(n) && nodes[n].lease != COUNTS)
#else
#define isExcused(n) (nodes[n].lease != COUNTS)
#endif

/* What still runs of what nobody counts. A node whose lease counts has nothing like that. */
inline witness(n) {
    if
    :: !store.learns && isExcused(n) && left(n) > nodes[n].uncounted -> nodes[n].uncounted = left(n)
    :: else
    fi
}

/* ---- the engine */

inline assertWithinLimit() {
    assert(runs(0) + runs(1) <= LIMIT + nodes[0].uncounted + nodes[1].uncounted)
}

inline giveBack(n) {
    nodes[n].out--;
#ifdef SHORT
    if
    :: nodes[n].out == 0 -> nodes[n].startedBy = 0
    :: else
    fi
#endif
}

#define mayTake(n) (mayStall(n) && nodes[n].out < nodes[n].leased)

proctype Engine(bit n) {
end:
    do
#ifdef BUG_NOTERM
    :: d_step {
        mayTake(n) ->
#else
    :: d_step {
        mayTake(n) && nodes[n].lease != NOTHING_COUNTS ->
#endif
        nodes[n].out++;
        nodes[n].unchecked++
       }
    :: d_step {         /* it has read the term before */
        mayTake(n) ->
        nodes[n].out++;
        nodes[n].past++
       }
    :: d_step {
        nodes[n].unchecked > 0 || (!mayStall(n) && nodes[n].out < nodes[n].leased) ->
        if
        :: mayStall(n) -> nodes[n].unchecked--
        :: else -> nodes[n].out++
        fi;
        if
#ifdef BUG_NOCHECK
        :: true ->
#else
        :: nodes[n].lease == COUNTS ->
#endif
            assertWithinLimit();
#ifdef SHORT
            nodes[n].startedBy = nodes[n].by;
#endif
#ifdef SEES_START
            assert(false)
#endif
#ifdef SEES_HAND_OVER
            hasStarted[n] = 1;
            assert(!hasStarted[1 - n] || hasReaped)
#endif
#ifdef SEES_EXCESS
            assert(runs(0) + runs(1) <= LIMIT)
#endif
        :: else -> giveBack(n)
        fi
       }
    :: d_step {
        nodes[n].past > 0 ->
        nodes[n].past--;
        giveBack(n)
       }
    :: d_step {
        runs(n) > 0 ->
        giveBack(n);
        if
        :: nodes[n].uncounted > 0 -> nodes[n].uncounted--
        :: else
        fi
       }
    od
}

/* ---- a node's thread */

/* The term is over. */
inline lose(n) {
#ifndef BUG_NOTERM
    nodes[n].past = nodes[n].past + nodes[n].unchecked;
    nodes[n].unchecked = 0;
#endif
    nodes[n].lease = NOTHING_COUNTS;
    nodes[n].by = 0;
    nodes[n].leased = 0
}

inline loseIfOver(n) {
    if
    :: nodes[n].lease == OVER -> lose(n)
    :: else
    fi
}

inline make(n, opening, leavesOut) {
    nodes[n].says[nodes[n].made].opens = opening;
    nodes[n].says[nodes[n].made].bare = leavesOut;
    nodes[n].says[nodes[n].made].session = nodes[n].session;
    nodes[n].says[nodes[n].made].epoch = nodes[n].epoch;
    nodes[n].says[nodes[n].made].to = reigning;
    if
#ifdef BUG_OPENGRANTS
    :: leavesOut
#else
    :: opening || leavesOut
#endif
    :: else ->
        nodes[n].says[nodes[n].made].has = has(n);
        nodes[n].leasedThen = nodes[n].leased
    fi;
    nodes[n].made++;
    nodes[n].newest = UNDER_WAY
}

inline settle(n) {
    nodes[n].newest = SETTLED;
    nodes[n].late = 0;
    nodes[n].leasedThen = 0
}

inline forgetAnswer(n) {
    nodes[n].answer = NO_ANSWER;
    nodes[n].answerEpoch = 0;
    nodes[n].answerCounted = 0
}

#define said(n) nodes[n].says[nodes[n].made - 1]

/* May the engine have more in flight? Only if more was granted than was stated. */
inline grantTo(n) {
    if
    :: nodes[n].answerCounted != said(n).has &&
            nodes[n].answerCounted > nodes[n].leased + (nodes[n].leasedThen - nodes[n].leased) ->
        nodes[n].leased = nodes[n].answerCounted - (nodes[n].leasedThen - nodes[n].leased)
    :: else
    fi;
    nodes[n].unsaid = 0
}

inline moveDeadline(n) {
#ifdef SEES_NEXT_TERM
    assert(nodes[n].lease != NOTHING_COUNTS || nodes[n].past == 0 || said(n).has == 0);
#endif
    nodes[n].lease = (nodes[n].late -> OVER : COUNTS);
#ifdef SEES_RESTATED
    assert(nodes[n].leased == 0 || !store.learns || store.by[n].before == nodes[n].made);
#endif
    nodes[n].by = nodes[n].made - 1;
    settle(n)
}

inline hear(n) {
#ifndef BUG_NODEADLINEAFTERANSWER
    loseIfOver(n);
#endif
    if
    :: nodes[n].answer == OK ->
        if
        :: nodes[n].answerEpoch != nodes[n].epoch -> nodes[n].unsaid = has(n) > 0
        :: else
        fi;
        nodes[n].open = 1;
        nodes[n].epoch = nodes[n].answerEpoch;
        if
#ifdef BUG_OPENGRANTS
        :: !said(n).bare -> grantTo(n)
#else
        :: !said(n).opens && !said(n).bare -> grantTo(n)
#endif
        :: else
        fi;
#ifndef BUG_RENEWEARLY
        if
        :: nodes[n].unsaid -> settle(n)
        :: else -> nodes[n].newest = TAKEN; nodes[n].leasedThen = 0
        fi
#else
        nodes[n].newest = TAKEN;
        nodes[n].leasedThen = 0
#endif
    :: nodes[n].answer == GONE ->
#ifndef BUG_GONEKEEPS
        if
        :: nodes[n].answerEpoch == nodes[n].epoch ->
#ifdef SEES_GONE
            assert(false);
#endif
            lose(n)
        :: else ->
#ifdef SEES_KEPT
            assert(nodes[n].lease != COUNTS || nodes[n].leased == 0)
#endif
        fi;
#endif
        nodes[n].unsaid = has(n) > 0;
        nodes[n].epoch = nodes[n].answerEpoch;
        nodes[n].session++;
        nodes[n].open = 0;
        settle(n)
    :: else -> settle(n)
    fi;
    forgetAnswer(n)
}

/* A step begins with a look at the deadline, here right at the end of the one before. It can stand still after that. */
proctype Thread(bit n) {
end:
    do
    :: d_step { nodes[n].lease == OVER -> lose(n) }
    :: d_step {
        nodes[n].newest == UNDER_WAY && nodes[n].answer != NO_ANSWER ->
        hear(n);
        if
        :: !mayStall(n) && nodes[n].newest == TAKEN -> moveDeadline(n)
        :: else
        fi
       }
    :: d_step {
        nodes[n].newest == TAKEN ->
        moveDeadline(n)
       }
    :: d_step {
        nodes[n].newest == UNDER_WAY ->     /* it is overdue */
        settle(n);
#ifndef BUG_OLDANSWERS
        forgetAnswer(n);
#endif
        loseIfOver(n)
       }
    :: d_step { nodes[n].newest != TAKEN && nodes[n].leased > 0 -> nodes[n].leased-- }
    :: d_step {
        nodes[n].newest == SETTLED && nodes[n].made < most(n) && nodes[n].session < SESSIONS ->
        make(n, !nodes[n].open, 0);
        loseIfOver(n)
       }
#ifdef BARE
    :: d_step {
        nodes[n].newest == SETTLED && nodes[n].made < most(n) && nodes[n].open ->
        make(n, 0, 1);
        loseIfOver(n)
       }
#endif
    od
}

/* ---- the store */

#define mine memory[server].by[n].sessions[nodes[n].says[number].session]
#define statement nodes[n].says[number]

#if RETURNS && !defined(BUG_RUNIDONLY)
#define isOtherServer(server) (memory[server].runId != server || memory[server].replication != replication[server])
#else
#define isOtherServer(server) (memory[server].runId != server)
#endif
#if SERVERS > 1 && !defined(BUG_NOGAP)
#define findsGap(server) (gap && server == 0 && reigning == 0)
#else
#define findsGap(server) false
#endif

inline begin(server) {
    begun++;
    memory[server].epoch =
            ((greater(counter(statement.epoch), counter(memory[server].epoch)) + 1) << 3) + begun;
    memory[server].isThere = 1;
    memory[server].runId = server;
#if RETURNS
    memory[server].replication = replication[server];
#endif
#if SERVERS > 1
    if
    :: findsGap(server) -> gap = 0
    :: else
    fi;
#endif
#ifndef BUG_NOLEARN
    memory[server].learns = 1;
    memory[server].by[0].before = nodes[0].made;
    memory[server].by[1].before = nodes[1].made
#endif
}

inline beginIfForgotten(server) {
    if
    :: !memory[server].isThere || isOtherServer(server) || findsGap(server) ||
            isForeign(statement.epoch, memory[server].epoch) ->
        assert(begun < 7);
        begin(server)
    :: else
    fi
}

/* What is answered to, as long as somebody waits for it. */
inline reply(kind, amount) {
    if
#ifdef BUG_OLDANSWERS
    :: true ->
#else
    :: number == nodes[n].made - 1 && nodes[n].newest == UNDER_WAY ->
#endif
        nodes[n].answer = kind;
        nodes[n].answerEpoch = memory[server].epoch;
        nodes[n].answerCounted = amount
    :: else
    fi
}

#ifdef BUG_NOSEQ
#define isStale false
#elif defined(BUG_OPENRESETS)
#define isStale (mine.lives && number <= mine.sequence && !statement.opens)
#else
#define isStale (mine.lives && number <= mine.sequence)
#endif
#ifdef BUG_LATEREVIVES
#define isGone false
#else
#define isGone (!mine.lives && !statement.opens)
#endif

/* One statement, from beginning to end. How much is granted is open: anything that fits the limit. */
inline carryOut() {
    d_step {
        beginIfForgotten(server);
        room = 0;
        if
        :: isGone -> reply(GONE, 0)
        :: else ->
            if
            :: isStale -> reply(STALE, 0)
            :: else ->
                mine.lives = 1;
                mine.sequence = number;
                if
#ifdef BUG_OPENGRANTS
                :: !statement.bare ->
#else
                :: !statement.opens && !statement.bare ->
#endif
                    mine.counted = statement.has;
                    witness(n);
                    if
                    :: !memory[server].learns && allCounted(server) < LIMIT -> room = LIMIT - allCounted(server)
                    :: else
                    fi
                :: else ->
#ifdef BUG_OPENRESETS
                    if
                    :: statement.opens -> mine.counted = 0
                    :: else
                    fi
#endif
                fi;
                reply(OK, mine.counted)
            fi
        fi
    };
    if
    :: true
    :: room > 0 ->
        d_step {
            mine.counted = mine.counted + 1;
            reply(OK, mine.counted)
        }
#if LIMIT > 1
    :: room > 1 ->
        d_step {
            mine.counted = mine.counted + 2;
            reply(OK, mine.counted)
        }
#endif
    fi
}

#define choose(node, no) :: nodes[node].made > no -> n = node; number = no

proctype Store() {
    bit n;
    byte number;
    bit server;
    byte room;
end:
    do
    :: atomic {
        if
        choose(0, 0) choose(1, 0) choose(0, 1) choose(1, 1)
#if STATEMENTS > 2
        choose(0, 2) choose(1, 2)
#endif
#if STATEMENTS > 3
        choose(0, 3) choose(1, 3)
#endif
#if STATEMENTS > 4
        choose(0, 4) choose(1, 4)
#endif
#if STATEMENTS > 5
        choose(0, 5) choose(1, 5)
#endif
        fi;
        server = statement.to;
        carryOut();
        d_step { n = 0; number = 0; server = 0; room = 0 }
       }
    od
}

/* ---- times */

#define isPending(n) (nodes[n].newest != SETTLED)

#ifdef SHORT
#define hasEnded(n, before) (mayStall(n) || nodes[n].out == 0 || nodes[n].startedBy >= before)
#else
#define hasEnded(n, before) true
#endif

/* What a node leases by statements of before that one counts no more, and a node that goes on has noticed. */
#ifdef BUG_NOMARGIN
#define countsNoMore(n, before) true
#else
#define countsNoMore(n, before) \
    ((nodes[n].lease == NOTHING_COUNTS || nodes[n].by >= before || (mayStall(n) && nodes[n].lease == OVER)) \
    && (!isPending(n) || nodes[n].made - 1 >= before || nodes[n].late) \
    && hasEnded(n, before))
#endif

#define session(n, no) store.by[n].sessions[no]

inline reap(n, no) {
#ifdef SEES_HAND_OVER
    hasReaped = 1;
#endif
    session(n, no).lives = 0;
    session(n, no).sequence = 0;
    session(n, no).counted = 0;
    witness(n)
}

#define maybeReap(n, no) \
    :: d_step { \
        session(n, no).lives && countsNoMore(n, session(n, no).sequence + 1) -> \
        reap(n, no) \
       }

inline deadlineComes(n) {
    if
    :: mayStall(n) -> nodes[n].lease = OVER
    :: else -> lose(n)
    fi
}

proctype Time() {
end:
    do
    :: d_step { nodes[0].lease == COUNTS -> deadlineComes(0) }
    :: d_step { nodes[1].lease == COUNTS -> deadlineComes(1) }
#if STALLS > 0
    :: d_step { isPending(0) && nodes[0].lease != COUNTS && !nodes[0].late -> nodes[0].late = 1 }
#endif
#if STALLS > 1
    :: d_step { isPending(1) && nodes[1].lease != COUNTS && !nodes[1].late -> nodes[1].late = 1 }
#endif
    maybeReap(0, 0)
    maybeReap(1, 0)
#if SESSIONS > 1
    maybeReap(0, 1)
    maybeReap(1, 1)
#endif
    :: d_step {
        store.learns && countsNoMore(0, store.by[0].before) && countsNoMore(1, store.by[1].before) ->
#ifdef SEES_LEARNT
        assert(nodes[0].lease != COUNTS || nodes[0].leased == 0);
#endif
        store.learns = 0;
        store.by[0].before = 0;
        store.by[1].before = 0;
        witness(0);
        witness(1)
       }
    od
}

/* ---- losing what a store remembers */

inline forgetSession(server, n, no) {
    memory[server].by[n].sessions[no].lives = 0;
    memory[server].by[n].sessions[no].sequence = 0;
    memory[server].by[n].sessions[no].counted = 0
}

inline forgetAll(server) {
    memory[server].isThere = 0;
    memory[server].learns = 0;
    memory[server].runId = 0;
    memory[server].replication = 0;
    memory[server].epoch = 0;
    memory[server].by[0].before = 0;
    memory[server].by[1].before = 0;
    forgetSession(server, 0, 0);
    forgetSession(server, 1, 0);
#if SESSIONS > 1
    forgetSession(server, 0, 1);
    forgetSession(server, 1, 1)
#endif
}

inline copySession(from, to, n, no) {
    to.by[n].sessions[no].lives = from.by[n].sessions[no].lives;
    to.by[n].sessions[no].sequence = from.by[n].sessions[no].sequence;
    to.by[n].sessions[no].counted = from.by[n].sessions[no].counted
}

inline copyAll(from, to) {
    to.isThere = from.isThere;
    to.learns = from.learns;
    to.runId = from.runId;
    to.replication = from.replication;
    to.epoch = from.epoch;
    to.by[0].before = from.by[0].before;
    to.by[1].before = from.by[1].before;
    copySession(from, to, 0, 0);
    copySession(from, to, 1, 0);
#if SESSIONS > 1
    copySession(from, to, 0, 1);
    copySession(from, to, 1, 1)
#endif
}

#if FORGETS || RETURNS || SWAPS
proctype Faults() {
end:
    do
#if FORGETS
    :: d_step { forgets < FORGETS && store.isThere -> forgets++; forgetAll(reigning) }
#endif
#if RETURNS
    :: d_step { !copy.isThere && store.isThere && returns == 0 -> copyAll(store, copy) }
    :: d_step {
        copy.isThere ->
        returns++;
        copyAll(copy, store);
        replication[reigning] = 1;
        copy.isThere = 0
       }
#endif
#if SWAPS
#ifndef REPLICA
    :: d_step { swaps == 0 -> swaps++; reigning = 1 }
#else
    :: d_step { swaps == 0 -> swaps++; copyAll(memory[0], memory[1]); reigning = 1 }
#endif
#endif
#if SWAPS > 1
#ifdef QUICK
    :: d_step { swaps == 1 && (memory[1].learns || !memory[1].isThere) -> swaps++; reigning = 0 }
#else
    :: d_step { swaps == 1 -> swaps++; reigning = 0; gap = 1 }
#endif
#endif
    od
}
#endif

init {
#if AT_FIRST
    byte n;
    d_step {
        begun = 1;
        memory[0].isThere = 1;
        memory[0].epoch = (1 << 3) + 1;
        for (n : 0 .. AT_FIRST - 1) {
            nodes[n].says[0].opens = 1;
            nodes[n].made = 1;
            nodes[n].open = 1;
            nodes[n].epoch = (1 << 3) + 1;
            nodes[n].lease = COUNTS;
            memory[0].by[n].sessions[0].lives = 1
        }
        n = 0
    };
#endif
    atomic {
        run Engine(0);
        run Engine(1);
        run Thread(0);
        run Thread(1);
        run Store();
        run Time();
#if FORGETS || RETURNS || SWAPS
        run Faults()
#endif
    }
}
