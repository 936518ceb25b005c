package io.github.kobe.internal.permits;

import io.github.kobe.Costs;
import io.github.kobe.Rate;
import io.github.kobe.RateStats;
import io.github.kobe.internal.base.RateTerms;
import io.github.kobe.internal.base.Tempo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a group has of its rates: the numbers of each, how far they are used up, and when the housekeeper looks at the group because
 * of them. All of them have to allow a start, and each is charged what it costs of that one.
 *
 * <p>It goes by one reading of the clock from the beginning of a critical section to the next start. So who finds that a start
 * comes too early, and who sets the alarm for it, have the same time before them, and none is left waiting without one.
 *
 * <p>Guarded by the group's guard, but for what says otherwise.
 */
final class GroupRate {

    /** What waits ahead of a start. */
    interface Ahead {

        /** {@return what all of it costs of a rate, where each that says nothing of that costs so much} */
        long costOf(String rate, int byDefault);
    }

    /** One of them. Its pace goes from one object to the next that has the same name. */
    private static final class Part {

        private final Rate rate;
        private final Tempo tempo;
        private final Pace pace;

        /** When a start that costs 1 is allowed; it may be over. Read by anyone, who may see a stale one. */
        private long next;

        Part(RateTerms terms, Pace pace) {
            this.rate = terms.rate();
            this.tempo = terms.tempo();
            this.pace = pace;
            hasMoved();
        }

        private void hasMoved() {
            next = pace.earliest(tempo, 1);
        }

        /** {@return what work costs of it that says so, or doesn't} */
        private int costOf(@Nullable Costs said) {
            return said == null ? rate.defaultCost() : said.costOf(rate.name(), rate.defaultCost());
        }

        /** {@return when a start of that cost is allowed; it may be over} */
        private long earliest(int cost) {
            if (cost <= 1) {
                return cost == 0 ? Long.MIN_VALUE : next;
            }
            return pace.earliest(tempo, cost);
        }

        private boolean take(int cost, long time) {
            if (cost == 0) {
                return false;
            }
            pace.take(tempo, cost, time);
            hasMoved();
            return true;
        }

        private int usedAt(long time) {
            long since = time - next;
            // What is allowed from some part of a nanosecond on is so from the next whole one on.
            return since < 0 ? tempo.burst() : (int) Math.max(0, tempo.burst() - 1 - tempo.unitsIn(since + 1));
        }

        private RateStats statsAt(long time) {
            return new RateStats(rate, usedAt(time), Duration.ofNanos(Math.max(0, next - time)));
        }
    }

    /** In the order in which they are set. */
    private final Part[] parts;

    /** The reading of the clock that it goes by. */
    private long now;

    /** When a start that says no costs is allowed; it may be over. Read by anyone, who may see a stale one. */
    private long next;

    /** When the earliest alarm of the housekeeper is due; 0: none is set. */
    private long alarmAt;

    /** Whether it has yet to ask what a group of the same key had started that was forgotten. */
    private boolean isNew;

    /** Whether nothing of a new group was started by it. */
    private boolean isUnused;

    private GroupRate(Part[] parts, long now, boolean isNew) {
        this.parts = parts;
        this.now = now;
        this.isNew = isNew;
        this.isUnused = isNew;
        hasMoved();
    }

    /** {@return that of a new group, in which nothing was started, unless it {@linkplain #goOn goes on} from another} */
    static GroupRate rested(List<RateTerms> terms, long now) {
        return new GroupRate(
                terms.stream().map(each -> new Part(each, new Pace(now))).toArray(Part[]::new), now, true);
    }

    /** {@return whether it is that of a new group, and {@link #goOn} wasn't called} */
    boolean isNew() {
        return isNew;
    }

    /** {@return whether it is that of a new group of which nothing was started, nor of one of the same key before} */
    boolean isUnused() {
        return isUnused;
    }

    /**
     * Goes on from what a group of the same key had that was forgotten. It needs no memory.
     *
     * @param forgotten {@code null}: nothing was started that is of any account
     */
    void goOn(@Nullable GroupRate forgotten) {
        isNew = false;
        if (forgotten == null) {
            return;
        }
        isUnused = false;
        for (Part part : parts) {
            Part known = forgotten.find(part.rate.name());
            if (known == null) {
                part.pace.beginEmpty(part.tempo, now);
            } else {
                part.pace.copy(known.pace);
                if (!known.tempo.equals(part.tempo)) {
                    part.pace.change(known.tempo, part.tempo, now);
                }
            }
            part.hasMoved();
        }
        hasMoved();
    }

    /**
     * {@return what a group has of other rates, once {@link #follow} has been called; until then nothing has changed} What it has
     * of a rate with the same name goes on, and any other begins empty: nobody knows what was started before.
     *
     * @param before what the group has; {@code null}: it has run without a rate
     */
    static GroupRate changed(@Nullable GroupRate before, List<RateTerms> terms, long now) {
        return new GroupRate(
                terms.stream().map(each -> changed(before, each, now)).toArray(Part[]::new), now, false);
    }

    private static Part changed(@Nullable GroupRate before, RateTerms terms, long now) {
        Part known = before == null ? null : before.find(terms.rate().name());
        if (known != null) {
            return new Part(terms, known.pace);
        }
        Pace empty = new Pace(now);
        empty.beginEmpty(terms.tempo(), now);
        return new Part(terms, empty);
    }

    /** From now on it is in force in the place of {@code before}, of which it was {@linkplain #changed made}. */
    void follow(GroupRate before, long time) {
        for (Part part : parts) {
            Part known = before.find(part.rate.name());
            if (known != null && !known.tempo.equals(part.tempo)) {
                part.pace.change(known.tempo, part.tempo, time);
                part.hasMoved();
            }
        }
        now = time;
        alarmAt = before.alarmAt;
        hasMoved();
    }

    /** {@return whether it is by those terms} */
    boolean isBy(List<RateTerms> terms) {
        if (terms.size() != parts.length) {
            return false;
        }
        for (int i = 0; i < parts.length; i++) {
            if (!parts[i].rate.equals(terms.get(i).rate())) {
                return false;
            }
        }
        return true;
    }

    private @Nullable Part find(String name) {
        int at = indexOf(name);
        return at < 0 ? null : parts[at];
    }

    /** {@return which one has that name; -1: none} By anyone. */
    int indexOf(String name) {
        for (int i = 0; i < parts.length; i++) {
            if (parts[i].rate.name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    private void hasMoved() {
        next = next(null);
    }

    /** Forgets what was started. */
    void reset(long time) {
        now = time;
        for (Part part : parts) {
            part.pace.reset(time);
            part.hasMoved();
        }
        hasMoved();
    }

    /** A critical section begins. */
    void look(long time) {
        now = time;
    }

    /** {@return the reading of the clock that it goes by} */
    long now() {
        return now;
    }

    // ---- what it allows

    /** {@return whether a start with those costs is allowed; {@code null}: with none that are said} */
    boolean allows(@Nullable Costs costs) {
        return (costs == null ? next : next(costs)) <= now;
    }

    /** {@return when such a start is allowed, or is seen never to be, since it costs more than a limit; it may be over} */
    long next(@Nullable Costs costs) {
        long latest = Long.MIN_VALUE;
        for (Part part : parts) {
            int cost = part.costOf(costs);
            if (cost > part.tempo.limit()) {
                return Long.MIN_VALUE;
            }
            latest = Math.max(latest, part.earliest(cost));
        }
        return latest;
    }

    /** {@return whether such a start costs more than a limit, and so is never allowed} By anyone; it may be stale. */
    boolean isExceededBy(@Nullable Costs costs) {
        return costs != null && exceeded(costs) != null;
    }

    private @Nullable Part exceeded(Costs costs) {
        for (Part part : parts) {
            if (part.costOf(costs) > part.tempo.limit()) {
                return part;
            }
        }
        return null;
    }

    /** {@return by how much such a start is too costly, in words; {@code null}: it isn't} By anyone; it may be stale. */
    @Nullable
    String excess(@Nullable Costs costs) {
        Part part = costs == null ? null : exceeded(costs);
        return part == null
                ? null
                : "it costs " + part.costOf(costs) + " '" + part.rate.name()
                        + "', of which the group may never have more than " + part.tempo.limit() + " in "
                        + part.rate.per();
    }

    /** {@return whether such a start is allowed at that time} By anyone; it may be stale. */
    boolean allowsAt(long time, @Nullable Costs costs) {
        return (costs == null ? next : next(costs)) <= time;
    }

    /** {@return in how long a start that says no costs is allowed; 0: now} By anyone; it may be stale. */
    long waitAt(long time) {
        return next <= time ? 0 : next - time;
    }

    /** {@return how far each is used up at that time} By anyone; it may be stale. */
    List<RateStats> statsAt(long time) {
        List<RateStats> all = new ArrayList<>(parts.length);
        for (Part part : parts) {
            all.add(part.statsAt(time));
        }
        return all;
    }

    /** {@return how much of the burst is used up at that time, as a fraction, of the one that is most} By anyone; it may be stale. */
    double usedShareAt(long time) {
        double most = 0;
        for (Part part : parts) {
            most = Math.max(most, (double) part.usedAt(time) / part.tempo.burst());
        }
        return most;
    }

    /**
     * {@return when such a start is allowed behind all that waits, if nothing but the rates keeps it, and nothing starts before {@code
     * from}} It may be later: a start above the burst gives up what was saved until then.
     */
    long nextBehind(Ahead waiting, @Nullable Costs costs, long from) {
        long latest = from;
        for (Part part : parts) {
            int own = part.costOf(costs);
            long ahead = waiting.costOf(part.rate.name(), part.rate.defaultCost());
            latest = Math.max(
                    latest, ahead > 0 ? part.pace.earliestOfLast(part.tempo, ahead + own, from) : part.earliest(own));
        }
        return latest;
    }

    // ---- charging

    /** {@return what a start with those costs is charged} It has yet to be {@linkplain #take taken}. */
    Charge charge(@Nullable Costs costs) {
        return new Charge(this, costs);
    }

    /** {@return what a start costs of one of them} */
    int costOf(int index, @Nullable Costs costs) {
        return parts[index].costOf(costs);
    }

    /**
     * Charges a start. Where it cost something of all of them, the clock goes on: else what one of them has kept from starting might be
     * due by the later reading, with nobody left in this section to start it.
     */
    void take(@Nullable Costs costs, long time) {
        isUnused = false;
        boolean all = true;
        for (Part part : parts) {
            all &= part.take(part.costOf(costs), time);
        }
        if (all) {
            now = time;
        }
        hasMoved();
    }

    /** Corrects what a start was charged of the one with that name, if there still is one. */
    void settle(String name, int charged, long used, long time) {
        now = time;
        Part part = find(name);
        if (part != null && (used > charged || part.rate.isRefunded())) {
            part.pace.settle(part.tempo, charged, used, time);
            part.hasMoved();
            hasMoved();
        }
    }

    // ---- when it may be forgotten

    /** {@return whether nothing that was started is of any account} */
    boolean isRested() {
        return restedFrom() <= now;
    }

    /** {@return from when on that is so; it may be over} */
    long restedFrom() {
        long latest = Long.MIN_VALUE;
        for (Part part : parts) {
            latest = Math.max(latest, part.pace.restedFrom());
        }
        return latest;
    }

    // ---- its alarm

    /** {@return whether an alarm is to be set for that time} */
    boolean wantsAlarm(long time) {
        return alarmAt == 0 || time < alarmAt;
    }

    /** {@return when the earliest is due; 0: none is set} By anyone; who has seen it set, sees that. */
    long alarm() {
        return alarmAt;
    }

    /** One is set, or about to be. */
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
