/*
 * A group with a rate: tasks that come and end, the rate and its alarm (GroupRate, GroupStarts, Pace), the housekeeper. Time
 * passes at any step up to PASSES times; after that only when nothing else can go on. With CHANGES the rate becomes slower and
 * faster; with FORGETS the idle group is forgotten, and another one of its key goes on from what is remembered of its rate.
 */
#ifndef TASKS
#define TASKS 3
#endif
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef BURST
#define BURST 1
#endif
/* How many a window of PERIOD has at most is BURST - 1 + SUSTAINED. */
#ifndef SUSTAINED
#define SUSTAINED 2
#endif
#ifndef INTERVAL
#define INTERVAL 2
#endif
#ifndef PASSES
#define PASSES 3
#endif
#ifndef CHANGES
#define CHANGES 0
#endif
#ifndef FORGETS
#define FORGETS 0
#endif

#define PERIOD (SUSTAINED * INTERVAL)
#define MOST (BURST - 1 + SUSTAINED)

/* Time begins late enough for a burst to be saved up by then; by LATEST everything has started. */
#define BEGIN (BURST * INTERVAL)
#define LATEST 60
#define NONE 0

/* The clock, and the alarms of the housekeeper: a bit for each time, and the first of them. */
byte clock = BEGIN;
byte passed;
bit alarms[LATEST];
byte firstAlarm = LATEST;
bit guarded;

/* Group.queue, free permits, and of tasks: which have started, which have ended. */
byte queued;
byte unused = LIMIT;
byte running;
byte started;
byte ended;

/* GroupRate: the reading that it goes by, Pace.restedAt, alarmAt, isNew; the interval in force. */
byte now = BEGIN;
byte rested = BEGIN;
byte alarmAt = NONE;
bit isNew;
byte interval = INTERVAL;
byte changes;
byte forgotten;

/* RememberedRates: the pace of the group that was forgotten. */
byte remembered = NONE;

/* The witness: when each was started, by the clock itself. */
byte startedAt[TASKS];

#define next (rested + interval - BURST * interval)
#define allows (next <= now)
#define everythingHasEnded (ended == TASKS && changes == CHANGES && forgotten == FORGETS)

inline lock() { atomic { !guarded -> guarded = 1; } }
inline unlock() { guarded = 0 }

/* GuardedGroup.enter, GroupStarts.lookAtRate, GroupRate.goOn */
inline enter() {
    lock();
    now = clock;
    if
    :: isNew ->
        d_step {
            isNew = 0;
#ifndef BUG_FORGETS_WHAT_COUNTS
            rested = (remembered == NONE -> rested : remembered);
#endif
            remembered = NONE
        }
    :: else
    fi
}

/* Pace.take */
inline charge(time) {
    rested = (rested < time -> time : rested) + interval
}

/* GroupState.grantHead, GroupStarts.started: a start is charged by a reading of its own, and counts from then on */
inline start() {
    d_step {
#ifndef BUG_CHARGES_THE_OLD_READING
        now = clock;
#endif
        charge(now);
        startedAt[started] = clock;
#if CHANGES == 0
        assert(started < MOST || clock - startedAt[started - MOST] >= PERIOD);
#endif
        started++;
        running++;
        unused--
    }
}

/* GroupStarts.arm, Housekeeper.at */
inline arm(due) {
    if
#ifdef BUG_KEEPS_THE_LATER_ALARM
    :: alarmAt == NONE ->
#else
    :: alarmAt == NONE || due < alarmAt ->
#endif
        d_step { alarms[due] = 1; firstAlarm = (due < firstAlarm -> due : firstAlarm); alarmAt = due }
    :: else
    fi
}

/* GroupStarts.armRate */
inline armRate() {
#ifdef BUG_READS_AGAIN
    now = clock;
#endif
    if
    :: queued > 0 && !allows -> arm(next)
    :: else
    fi
}

/* GroupState.dispatch, GuardedGroup.exit */
inline exit() {
    do
    :: queued > 0 && unused > 0 && allows -> queued--; start()
    :: else -> break
    od;
#ifdef BUG_ARMS_FOR_WHO_COMES
    if
    :: comes -> armRate()
    :: else
    fi;
#else
    armRate();
#endif
    unlock()
}

/* Group.admit: GroupState.tryGrantAtOnce, or it queues */
proctype Asker() {
    bit comes = 1;
    enter();
    if
    :: queued == 0 && unused > 0 && allows -> start()
    :: else -> queued++
    fi;
    exit()
}

/* Group.release: ends what runs, one after the other */
proctype Ender() {
    bit comes;
    do
    :: running > 0 ->
        enter();
        d_step { running--; unused++; ended++ };
        exit()
    :: everythingHasEnded -> break
    od
}

/* Housekeeper: an alarm is due at its time or later, and gone; then GuardedGroup.rateIsDue */
proctype Keeper() {
    bit comes;
    byte read;
    do
    :: d_step {
            firstAlarm <= clock ->
            read = clock;
            alarms[firstAlarm] = 0;
            do
            :: firstAlarm == LATEST -> break
            :: firstAlarm < LATEST && alarms[firstAlarm] -> break
            :: else -> firstAlarm++
            od
        };
        enter();
#ifndef BUG_ALARM_STAYS
        /* GroupRate.alarmHasCome */
        alarmAt = (alarmAt <= read -> NONE : alarmAt);
#endif
        exit()
    :: everythingHasEnded -> break
    od
}

/* Pace.change: to another interval, with nothing left of the burst; GroupWaits.override */
proctype Changer() {
    bit comes;
    do
    :: changes < CHANGES ->
        enter();
        d_step {
            interval = (interval == INTERVAL -> 2 * INTERVAL : INTERVAL);
            now = clock;
            rested = now + BURST * interval;
            changes++
        };
        exit()
    :: else -> break
    od
}

/* GroupState.dieIfUnkept, RememberedRates.keep, and the group that comes next, which rested when it was made */
proctype Forgetter() {
    bit comes;
    do
    :: forgotten < FORGETS && (ended == started && started > 0) ->
        enter();
        if
        :: queued == 0 && running == 0 ->
            d_step {
                remembered = (rested > now -> rested : NONE);
                rested = clock;
                alarmAt = NONE;
                isNew = 1;
                forgotten++
            }
        :: else
        fi;
        unlock()
    :: forgotten == FORGETS || ended == TASKS -> break
    od;
    forgotten = FORGETS
}

/* RememberedRates: what is remembered is let go of once it has rested */
proctype Rememberer() {
    do
    :: d_step { remembered != NONE && remembered <= clock -> remembered = NONE }
    :: everythingHasEnded -> break
    od
}

/* What is due has started before time passes, once nothing else can go on. */
proctype Clock() {
    do
    :: passed < PASSES -> d_step { clock++; passed++ }
    :: timeout ->
        if
        :: everythingHasEnded -> break
        :: else ->
            assert(!(queued > 0 && unused > 0 && next <= clock));
            assert(clock < LATEST - 1);
            clock++
        fi
    od
}

init {
    byte i;
    atomic {
        i = 0;
        do
        :: i < TASKS -> run Asker(); i++
        :: else -> break
        od;
        run Ender();
        run Keeper();
        run Changer();
        run Forgetter();
        run Rememberer();
        run Clock()
    };
    _nr_pr == 1 -> assert(started == TASKS && queued == 0 && unused == LIMIT)
}
