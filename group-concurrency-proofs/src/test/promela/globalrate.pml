/*
 * The rate over all groups (GlobalRate, GlobalPermits, Ledger): starts that lie in a stripe, charged beforehand, the pace behind them,
 * tasks that come and take one or wait, the alarm for what waits. Nothing else is short. Time passes at any step up to PASSES times;
 * after that only when nothing else can go on.
 */
#ifndef TASKS
#define TASKS 5
#endif
#ifndef BURST
#define BURST 2
#endif
/* So many of a burst lie in the stripe at most. */
#ifndef SPREAD
#define SPREAD 1
#endif
/* How many a window of PERIOD has at most is BURST - 1 + SUSTAINED. */
#ifndef SUSTAINED
#define SUSTAINED 2
#endif
#ifndef INTERVAL
#define INTERVAL 2
#endif
#ifndef PASSES
#define PASSES 4
#endif

#define PERIOD (SUSTAINED * INTERVAL)
#define MOST (BURST - 1 + SUSTAINED)

/* Time begins late enough for a burst to be saved up by then; by LATEST everything has started. */
#define BEGIN (BURST * INTERVAL)
#define LATEST 60
#define NONE 0
#define FROZEN 255

/* The clock, and the alarms of the housekeeper: a bit for each time, and the first of them. */
byte clock = BEGIN;
byte passed;
bit alarms[LATEST];
byte firstAlarm = LATEST;

/* Ledger.lock, Ledger.on; what waits, in all groups */
bit guarded;
bit on;
byte queued;

/* GlobalRate: the stripe, here, Pace.restedAt, alarmAt */
byte stripe = SPREAD;
byte here;
byte rested = BEGIN;
byte alarmAt = NONE;

/* The witness: when each was started, by the clock itself. */
byte started;
byte startedAt[TASKS];

#ifdef BUG_SPREADS_MORE
#define next (rested + INTERVAL - BURST * INTERVAL)
#else
#define next (rested + (1 + SPREAD) * INTERVAL - BURST * INTERVAL)
#endif

inline lock() { atomic { !guarded -> guarded = 1; } }

inline start() {
    startedAt[started] = clock;
    assert(started < MOST || clock - startedAt[started - MOST] >= PERIOD);
    started++
}

/* Pace.take */
inline charge(time) {
    rested = (rested < time -> time : rested) + INTERVAL
}

/* GlobalRate.fill */
inline fill(time) {
    do
    :: here < SPREAD && next <= time -> here++; charge(time)
    :: else -> break
    od
}

inline freeze() {
    d_step { here = here + (stripe == FROZEN -> 0 : stripe); stripe = FROZEN }
}

/* GlobalRate.thaw */
inline thaw() {
    d_step { stripe = here; here = 0 }
}

/* GlobalRate.tryTake: one reading of the clock, at which it is charged and starts */
inline tryTake(taken) {
    d_step {
        if
        :: here > 0 -> here--; start(); taken = 1
        :: here == 0 && next <= clock -> charge(clock); start(); taken = 1
        :: else -> taken = 0
        fi
    }
}

/* GlobalRate.arm, Housekeeper.at */
inline arm() {
    if
    :: alarmAt == NONE || next < alarmAt ->
        d_step { alarms[next] = 1; firstAlarm = (next < firstAlarm -> next : firstAlarm); alarmAt = next }
    :: else
    fi
}

/* Ledger.drain, grantTurns, armRate */
inline drain() {
    taken = 1;
    do
    :: queued > 0 && taken ->
        tryTake(taken);
        queued = queued - taken
    :: else -> break
    od;
#ifndef BUG_NO_ALARM
    if
    :: queued > 0 -> arm()
    :: else
    fi
#endif
}

/* Ledger.unlock, settle: it is loose again now or later, once nothing waits */
inline unlock() {
    if
#ifdef BUG_LOOSE_WHILE_IT_WAITS
    :: on ->
#else
    :: on && queued == 0 ->
#endif
        read = clock;
        fill(read);
        if
        :: here > 0 -> on = 0; thaw()
        :: else
        fi
    :: true
    fi;
    guarded = 0
}

/* Ledger.refillOrBind, GlobalPermits.refill */
inline refillOrBind() {
#ifdef BUG_READS_BEFORE_IT_FREEZES
    read = clock;
    freeze();
#else
    freeze();
    read = clock;
#endif
    if
    :: here > 0 -> on = 1
    :: else ->
        fill(read);
        if
        :: here > 0 -> thaw()
        :: else -> on = 1
        fi
    fi
}

/* Group.tryTakeFast, and Group.admit behind it */
proctype Asker() {
    byte read;
    bit taken;
    bit decided;
    atomic {
        if
        :: stripe != FROZEN && stripe > 0 -> stripe--; start(); decided = 1
        :: else
        fi
    };
    if
    :: decided
    :: else ->
        lock();
        do
        :: decided -> break
        :: !decided && !on ->
            /* GroupStarts.tryTakeGlobal, from the stripe; where that is empty, or a permit was short, it is refilled or bound */
            if
            :: atomic { stripe != FROZEN && stripe > 0 -> stripe--; start(); decided = 1 }
            :: refillOrBind()
            fi
        :: !decided && on ->
            taken = 0;
            if
            :: queued == 0 -> tryTake(taken)
            :: else
            fi;
            queued = queued + 1 - taken;
            drain();
            decided = 1
        od;
        unlock()
    fi
}

/* Another thread that may use up what lies in the stripe, and can't start: that counts all the same. */
proctype Loser() {
    atomic {
        if
        :: stripe != FROZEN && stripe > 0 -> stripe--
        :: true
        fi
    }
}

/* Housekeeper: an alarm is due at its time or later, and gone; then Ledger.rateIsDue */
proctype Keeper() {
    byte read;
    byte due;
    bit taken;
    do
    :: d_step {
            firstAlarm <= clock ->
            due = clock;
            alarms[firstAlarm] = 0;
            do
            :: firstAlarm == LATEST -> break
            :: firstAlarm < LATEST && alarms[firstAlarm] -> break
            :: else -> firstAlarm++
            od
        };
        lock();
#ifndef BUG_ALARM_STAYS
        /* GlobalRate.alarmHasCome */
        alarmAt = (alarmAt <= due -> NONE : alarmAt);
#endif
        drain();
        unlock()
    :: started == TASKS -> break
    od
}

/* What is due has started before time passes, once nothing else can go on. */
proctype Clock() {
    do
    :: passed < PASSES -> d_step { clock++; passed++ }
    :: timeout ->
        if
        :: started == TASKS -> break
        :: else ->
            assert(!(queued > 0 && (here > 0 || next <= clock)));
            assert(queued == 0 || on);
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
        run Loser();
        run Keeper();
        run Clock()
    };
    _nr_pr == 1 -> assert(started == TASKS && queued == 0)
}
