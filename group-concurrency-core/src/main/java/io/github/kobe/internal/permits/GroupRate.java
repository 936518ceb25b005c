package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Tempo;

/**
 * What a group has of its rate: the numbers, how far they are used up, and when the housekeeper looks at it because of them.
 *
 * <p>It goes by one reading of the clock from the beginning of a critical section to the next start. So who finds that a start
 * comes too early, and who sets the alarm for it, have the same time before them, and none is left waiting without one.
 *
 * <p>Guarded by the group's guard, but for what says otherwise.
 */
final class GroupRate {

    /** Read by anyone, who may see a stale one. */
    private Tempo tempo;

    private final Pace pace;

    /** The reading of the clock that it goes by. */
    private long now;

    /** When the next start is allowed; it may be over. Read by anyone, who may see a stale one. */
    private long next;

    /** When the earliest alarm of the housekeeper is due; 0: none is set. */
    private long alarmAt;

    /** Until then the group isn't forgotten as idle, and not offered to be; 0: nobody has tried. */
    private long keptUntil;

    private GroupRate(Tempo tempo, long now) {
        this.tempo = tempo;
        this.pace = new Pace(now);
        this.now = now;
        this.next = pace.earliest(tempo, 1);
    }

    /** {@return that of a group in which nothing was started that is of any account} */
    static GroupRate rested(Tempo tempo, long now) {
        return new GroupRate(tempo, now);
    }

    /** {@return that of a group that has run without a rate} */
    static GroupRate empty(Tempo tempo, long now) {
        GroupRate rate = rested(tempo, now);
        rate.pace.beginEmpty(tempo, now);
        rate.next = rate.pace.earliest(tempo, 1);
        return rate;
    }

    /** Another rate is in force, or the same. */
    void change(Tempo changed, long time) {
        now = time;
        if (!changed.equals(tempo)) {
            pace.change(tempo, changed, time);
            tempo = changed;
            next = pace.earliest(tempo, 1);
        }
    }

    /** Forgets what was started. */
    void reset(long time) {
        now = time;
        pace.reset(time);
        next = pace.earliest(tempo, 1);
        keptUntil = 0;
    }

    /** A critical section begins. */
    void look(long time) {
        now = time;
    }

    /** {@return the reading of the clock that it goes by} */
    long now() {
        return now;
    }

    /** {@return whether a start is allowed} */
    boolean allows() {
        return allowsAt(now);
    }

    /** {@return whether a start is allowed at that time} By anyone; it may be stale. */
    boolean allowsAt(long time) {
        return next <= time;
    }

    /** {@return when the next start is allowed; it may be over} */
    long next() {
        return next;
    }

    /** {@return in how long a start is allowed; 0: now} By anyone; it may be stale. */
    long waitAt(long time) {
        return Math.max(0, next - time);
    }

    /** {@return how many of the burst are used up at that time: with all of them, no start is allowed} By anyone; it may be stale. */
    int usedAt(long time) {
        return usedAt(time, tempo);
    }

    private int usedAt(long time, Tempo inForce) {
        long since = time - next;
        // What is allowed from some part of a nanosecond on is so from the next whole one on.
        return since < 0 ? inForce.burst() : (int) Math.max(0, inForce.burst() - 1 - inForce.unitsIn(since + 1));
    }

    /** {@return how much of the burst is used up at that time, as a fraction} By anyone; it may be stale. */
    double usedShareAt(long time) {
        Tempo inForce = tempo;
        return (double) usedAt(time, inForce) / inForce.burst();
    }

    /** {@return when the last of so many is started, if nothing but the rate keeps them, and none before {@code from}} */
    long nextAfter(long starts, long from) {
        return pace.earliestOfLast(tempo, starts, from);
    }

    /** Charges a start. */
    void take(long time) {
        now = time;
        pace.take(tempo, 1, time);
        next = pace.earliest(tempo, 1);
    }

    /** {@return whether nothing that was started is of any account} */
    boolean isRested() {
        return pace.restedFrom() <= now;
    }

    /** The group is to be forgotten, and isn't before it has rested. */
    void keepUntilRested() {
        keptUntil = pace.restedFrom();
    }

    /** {@return whether the group was to be forgotten, and it is too early still} */
    boolean isKept() {
        return keptUntil > now;
    }

    long keptUntil() {
        return keptUntil;
    }

    /** {@return whether an alarm is to be set for that time} */
    boolean wantsAlarm(long time) {
        return alarmAt == 0 || time < alarmAt;
    }

    /** One is set. */
    void alarmIsSet(long time) {
        alarmAt = time;
    }

    /** One has come: there may be an earlier one than it was. */
    void alarmHasCome(long time) {
        if (alarmAt <= time) {
            alarmAt = 0;
        }
    }
}
