package io.github.kobe.internal.doors;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTotals;
import io.github.kobe.WaitReason;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.DurationText;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.base.Rounds;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Groups;
import io.github.kobe.internal.permits.Readings;
import io.github.kobe.internal.work.Holders;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells the log, about once an interval, which groups have refused work, which stand still, and whether more is guaranteed to
 * those in use than there is: by going over all groups now and then, so that work costs nothing more.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Watch {

    /** So many groups that refuse are named; the others are told together. */
    private static final int MOST_NAMED = 20;

    /** So many of those are shown who have the permits of a group that stands still. */
    private static final int MOST_HOLDERS = 3;

    /** Why a group refuses what it has no room for. */
    private static final List<RejectionReason> WANT_OF_ROOM = List.of(
            RejectionReason.RATE_LIMITED,
            RejectionReason.GROUP_QUEUE_FULL,
            RejectionReason.GLOBAL_QUEUE_FULL,
            RejectionReason.QUEUE_TIMEOUT);

    private final Groups engine;
    private final Rounds rounds;

    /** Groups that had refused something, or had work waiting, at the last round; written by rounds. */
    private volatile Map<Group, Seen> seen = Map.of();

    /** How much was told of all that was refused for want of room, also by groups that are gone; written by rounds. */
    private volatile Map<RejectionReason, Long> told = Map.of();

    /** The policy under which it was told that more is guaranteed than there is; written by rounds. */
    private volatile @Nullable CompiledPolicy guaranteesToldOf;

    /**
     * A group at the last round.
     *
     * @param refused what it had refused for want of room, since it was made
     * @param ended how much of its work had ended, but for what was refused: a group that stands still refuses more and more
     * @param inFlight how much was in flight
     * @param waits whether work waited that nothing but a start could end
     * @param told whether it was told that it stands still
     */
    private record Seen(Map<RejectionReason, Long> refused, long ended, int inFlight, boolean waits, boolean told) {

        static final Seen NOTHING = new Seen(Map.of(), 0, 0, false, false);
    }

    /** What a group has refused since the last round. */
    private record Refusing(GroupStats group, Map<RejectionReason, Long> refused, long number) {}

    /** What is guaranteed to the groups in use together, without paused ones. Touched by one round. */
    private static final class Guarantees {

        private long byName;
        private long byRules;

        void add(EffectiveLimits limits, GroupStats group) {
            if (group.paused() || (group.inFlight() == 0 && group.queued() == 0)) {
                return;
            }
            if (limits.isGuaranteedByName()) {
                byName += limits.guaranteedInForce();
            } else {
                byRules += limits.guaranteedInForce();
            }
        }

        long sum() {
            return byName + byRules;
        }
    }

    Watch(Groups engine) {
        this.engine = engine;
        rounds = new Rounds(engine, this::nextIn, this::round);
    }

    void groupMade() {
        rounds.next();
    }

    /** A policy with the same interval changes nothing here. */
    void policyChanged() {
        rounds.goBy(intervalNanos(), () -> {});
    }

    private long nextIn() {
        return engine.groups().isEmpty() ? Long.MAX_VALUE : intervalNanos();
    }

    private long intervalNanos() {
        return EffectiveLimits.saturatedNanos(engine.policy.source().warnInterval());
    }

    private void round() {
        Map<Group, Seen> before = seen;
        Map<Group, Seen> now = new HashMap<>();
        List<Refusing> refusing = new ArrayList<>();
        Guarantees guarantees = new Guarantees();
        Counters sum = new Counters();
        engine.accounts.addTo(sum); // first, as RuleAccount says
        for (Group group : engine.groups()) {
            group.counters.addTo(sum); // before the look: what is refused in between is told of the group alone
            GroupStats stats = Readings.stats(group);
            look(group, stats, before.getOrDefault(group, Seen.NOTHING), now, refusing);
            guarantees.add(group.limits(), stats);
        }
        seen = now;
        tellOf(refusing);
        tellOfForgotten(sum.totals(0).rejectedByReason(), refusing);
        tellOf(guarantees);
    }

    private void look(Group group, GroupStats stats, Seen before, Map<Group, Seen> seenNow, List<Refusing> refusing) {
        TaskTotals totals = stats.totals();
        Map<RejectionReason, Long> refused = new EnumMap<>(RejectionReason.class);
        Map<RejectionReason, Long> since = new EnumMap<>(RejectionReason.class);
        for (RejectionReason reason : WANT_OF_ROOM) {
            long number = totals.rejectedByReason().getOrDefault(reason, 0L);
            long known = before.refused.getOrDefault(reason, 0L);
            long more = number < known ? number : number - known; // less is there once it was evicted
            if (number > 0) {
                refused.put(reason, number);
            }
            if (more > 0) {
                since.put(reason, more);
            }
        }
        if (!since.isEmpty()) {
            long number = since.values().stream().mapToLong(Long::longValue).sum();
            refusing.add(new Refusing(stats, since, number));
        }
        boolean waits = stats.queued() > 0
                && !stats.paused()
                && stats.waitsFor().filter(WaitReason.RATE::equals).isEmpty()
                && stats.queueTimeout().value().equals(GroupLimits.NO_TIMEOUT);
        long ended = totals.succeeded() + totals.failed() + totals.cancelled();
        boolean still = waits && before.waits && ended == before.ended && stats.inFlight() == before.inFlight;
        if (still && !before.told) {
            tellThatItStandsStill(group, stats);
        }
        if (waits || !refused.isEmpty()) {
            seenNow.put(group, new Seen(refused, ended, stats.inFlight(), waits, still));
        }
    }

    // ---- what is told

    private void tellOf(List<Refusing> refusing) {
        refusing.sort(Comparator.comparingLong(Refusing::number).reversed());
        String interval = DurationText.inWords(Duration.ofNanos(intervalNanos()));
        refusing.stream().limit(MOST_NAMED).forEach(one -> tellOf(one, interval));
        if (refusing.size() > MOST_NAMED) {
            List<Refusing> others = refusing.subList(MOST_NAMED, refusing.size());
            long number = others.stream().mapToLong(Refusing::number).sum();
            Log.write(
                    Level.WARNING,
                    () -> others.size() + " other groups have refused " + number + " in the last " + interval + ".");
        }
    }

    private static void tellOf(Refusing one, String interval) {
        GroupStats group = one.group;
        Log.write(
                Level.WARNING,
                () -> "Group '" + KeyText.printable(group.groupKey()) + "' has refused " + one.number + " in the last "
                        + interval + " (" + inWords(one.refused) + "). Its maxConcurrency is "
                        + number(group.maxConcurrency().value()) + ", its queueThreshold "
                        + number(group.queueThreshold().value()) + "; now " + group.running() + " run and "
                        + group.queued() + " wait" + inBrackets(group)
                        + (group.oldestWait().isZero()
                                ? "."
                                : ", the oldest for " + DurationText.inWords(group.oldestWait()) + "."));
    }

    /** Tells what no group explains that is there: it was forgotten, or evicted, before a round came. */
    private void tellOfForgotten(Map<RejectionReason, Long> refused, List<Refusing> refusing) {
        Map<RejectionReason, Long> toldNow = new EnumMap<>(RejectionReason.class);
        Map<RejectionReason, Long> others = new EnumMap<>(RejectionReason.class);
        for (RejectionReason reason : WANT_OF_ROOM) {
            long known = told.getOrDefault(reason, 0L);
            for (Refusing one : refusing) {
                known += one.refused.getOrDefault(reason, 0L);
            }
            long all = refused.getOrDefault(reason, 0L);
            if (all > known) {
                others.put(reason, all - known);
            }
            toldNow.put(reason, Math.max(all, known));
        }
        told = toldNow;
        if (!others.isEmpty()) {
            long number = others.values().stream().mapToLong(Long::longValue).sum();
            Log.write(
                    Level.WARNING,
                    () -> "Groups that were forgotten meanwhile have refused " + number + " (" + inWords(others)
                            + ").");
        }
    }

    private static String inWords(Map<RejectionReason, Long> refused) {
        return refused.entrySet().stream()
                .map(reason -> reason.getKey() + " " + reason.getValue())
                .collect(Collectors.joining(", "));
    }

    private void tellOf(Guarantees guarantees) {
        CompiledPolicy policy = engine.policy;
        int limit = policy.source().globalMaxInFlight();
        int headroom = policy.globalHeadroom();
        boolean tooMuch = limit != Integer.MAX_VALUE && guarantees.sum() > limit - headroom;
        if (tooMuch && policy != guaranteesToldOf) {
            guaranteesToldOf = policy;
            Log.write(
                    Level.WARNING,
                    () -> "The groups in use are guaranteed " + guarantees.sum() + " permits together ("
                            + guarantees.byName + " by their own names, " + guarantees.byRules + " by rules), of "
                            + (limit - headroom) + " (globalMaxInFlight " + limit + ", globalHeadroom " + headroom
                            + "). Those that hold less than theirs take turns, and while they wait the others get"
                            + " nothing. This is logged once for a policy.");
        }
    }

    private void tellThatItStandsStill(Group group, GroupStats stats) {
        String interval = DurationText.inWords(Duration.ofNanos(intervalNanos()));
        List<String> holders = Holders.described(group, MOST_HOLDERS);
        String why = holders.isEmpty()
                ? " It has no permits: " + whoHasThem(stats) + inBrackets(stats) + "."
                : " Its permits are held by " + String.join("; ", holders) + ". If what has them waits for work of this"
                        + " very group, that can't start: wait for each handle or future by itself. A queueTimeout ends"
                        + " what waits.";
        Log.write(
                Level.WARNING,
                () -> "Group '" + KeyText.printable(group.key) + "' stands still: " + stats.queued()
                        + " wait, and for " + interval + " nothing of it has started or ended." + why
                        + " This is logged once, until it goes on.");
    }

    private static String whoHasThem(GroupStats group) {
        return group.waitsFor().filter(WaitReason.CLUSTER_LIMIT::equals).isPresent()
                ? "nothing is leased to this instance of the limit that all instances share"
                : "those over all groups are used up by others";
    }

    private static String inBrackets(GroupStats group) {
        return group.waitsFor().map(reason -> " (it waits for " + reason + ")").orElse("");
    }

    private static String number(int limit) {
        return limit == Integer.MAX_VALUE ? "unlimited" : String.valueOf(limit);
    }
}
