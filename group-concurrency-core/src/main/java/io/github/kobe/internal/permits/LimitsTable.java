package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Answer;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.base.Report;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Asks the limits resolver of the policy: for a group that is made, when somebody says that what it would say has changed,
 * and now and then. Nothing is locked while it is asked.
 *
 * <p>Each question has a turn, and a group keeps the {@link Answer} whose question came last. Whoever brings limits into
 * force checks afterwards that they are still by the policy and the answer that the group has, and does it again if not.
 */
public final class LimitsTable {

    /** When it is asked again after a failure, at the latest. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** After so many failures in a row, others are left for the next time: it seems to be down. */
    private static final int DOWN = 3;

    /** How far apart failures are logged. */
    private static final long LOGGED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Groups engine;

    /** Of questions and of changes: what comes later has a higher number. */
    private final AtomicLong turns = new AtomicLong();

    /** When something was last said to have changed; and when everything was. */
    private final AtomicLong changed = new AtomicLong();

    private final AtomicLong allChanged = new AtomicLong();

    /** Odd: an alarm is set, or a look is under way. Rises with each of these, and with each new policy. */
    private final AtomicInteger looks = new AtomicInteger();

    /** Whether there may be a group that is {@linkplain #isOwed owed} an answer. */
    private volatile boolean owes;

    /** When all groups in use were last asked for, or would have been. */
    private volatile long refreshedAt;

    /** Failures that were not logged, and when one was; -1: never. */
    private final AtomicInteger unlogged = new AtomicInteger();

    private final AtomicLong loggedAt = new AtomicLong(-1);

    LimitsTable(Groups engine) {
        this.engine = engine;
    }

    // ---- questions

    /** {@return what is said of a group that isn't there yet} */
    public Answer ask(CompiledPolicy by, String key) {
        return by.hasLimitsResolver() ? ask(by, key, Answer.NONE, 0) : Answer.NONE;
    }

    private Answer ask(CompiledPolicy by, String key, Answer known, long ended) {
        return by.ask(key, known, turns.incrementAndGet(), ended, failure -> failed(key, failure));
    }

    /** {@return what is said of a group; asked again} */
    public Answer askAgain(CompiledPolicy by, Group group) {
        Answer kept = group.settings.keep(ask(by, group.key, group.settings.answer(), ended(group)));
        if (kept.failed()) {
            owes = true;
        }
        return kept;
    }

    /** {@return what was said of a group; asked only if that was somebody else} */
    public Answer answerOf(CompiledPolicy by, Group group) {
        Answer known = group.settings.answer();
        return by.accepts(known) ? known : askAgain(by, group);
    }

    /** {@return all numbers of a group} May ask. */
    public EffectiveLimits resolve(CompiledPolicy by, Group group) {
        return by.resolve(group.key, answerOf(by, group));
    }

    /** {@return whether a group's limits by that policy and answer are no longer those that it should have} */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    public boolean isOutdated(Group group, CompiledPolicy policy, Answer answer) {
        return policy != engine.policy || answer != group.settings.answer();
    }

    /** {@return what was said of a group, whoever was asked} */
    public Answer known(Group group) {
        return group.settings.answer();
    }

    /** Puts what is said of a group now in force. */
    private void renew(Group group) {
        Answer unused = askAgain(engine.policy, group);
        engine.rebase(group);
    }

    /** A group was made, and can be found from now on. */
    void made(Group group) {
        if (engine.policy.hasLimitsResolver()) {
            if (group.settings.answer().failed()) {
                owes = true;
            }
            if (group.settings.answer().turn() < changed.get()) {
                renew(group); // changed while it was asked for, and couldn't be found then
            }
            lookLater();
        }
    }

    // ---- changes

    /** What is said of a group has changed. */
    public void changed(String key) {
        changed.accumulateAndGet(turns.incrementAndGet(), Math::max);
        Group group = engine.groupIfKnown(key);
        if (group != null && engine.policy.hasLimitsResolver()) {
            renew(group);
            lookLater();
        }
    }

    /** What is said of any group may have changed. */
    public void changed() {
        long now = turns.incrementAndGet();
        changed.accumulateAndGet(now, Math::max);
        allChanged.accumulateAndGet(now, Math::max);
        if (engine.policy.hasLimitsResolver()) {
            owes = true;
            look(group -> group.settings.answer().turn() < now);
            lookLater();
        }
    }

    /** A new policy is in force, and all groups go by it. */
    public void policyChanged() {
        refreshedAt = engine.now();
        looks.updateAndGet(now -> (now | 1) + 1);
        lookLater();
    }

    // ---- now and then

    /** Sets an alarm for the next look, if one is needed and none is set. */
    private void lookLater() {
        int before = looks.get();
        if ((before & 1) == 1) {
            return;
        }
        long in = nextLookIn();
        int set = before + 1;
        if (in == Long.MAX_VALUE || !looks.compareAndSet(before, set)) {
            return;
        }
        boolean armed = false;
        try {
            armed = engine.housekeeper.at(engine.now() + in, () -> looks.get() != set, now -> lookDue(set));
        } finally {
            if (!armed) {
                looks.compareAndSet(set, set + 1);
            }
        }
    }

    private long nextLookIn() {
        long refresh = refreshNanos();
        if (!engine.policy.hasLimitsResolver() || engine.groups().isEmpty() || (refresh == Long.MAX_VALUE && !owes)) {
            return Long.MAX_VALUE;
        }
        return Math.clamp(refresh - (engine.now() - refreshedAt), 1, RETRY_NANOS);
    }

    /** {@return how often groups in use are asked for; {@link Long#MAX_VALUE}: never} */
    private long refreshNanos() {
        return EffectiveLimits.saturatedNanos(engine.policy.source().limitsRefresh());
    }

    /** By the housekeeper, which runs no user code. */
    private void lookDue(int set) {
        if (looks.get() == set && !engine.handOver(new Look(set))) {
            looked(set);
        }
    }

    private void looked(int set) {
        if (looks.compareAndSet(set, set + 1)) {
            lookLater();
        }
    }

    /** On a thread of its own, since the resolver may take its time. */
    private final class Look extends Report {
        private final int set;

        Look(int set) {
            this.set = set;
        }

        @Override
        public void run() {
            try {
                long now = engine.now();
                boolean refreshes = now - refreshedAt >= refreshNanos();
                if (refreshes) {
                    refreshedAt = now;
                }
                if (refreshes || owes) {
                    owes = false;
                    look(group -> isOwed(group) || (refreshes && isUsed(group)));
                }
            } finally {
                looked(set);
            }
        }
    }

    /** Asks for some groups, those first for which that is longest ago. */
    private void look(Predicate<Group> asked) {
        record Due(Group group, long turn) {}
        List<Due> due = new ArrayList<>();
        for (Group group : engine.groups()) {
            if (asked.test(group)) {
                due.add(new Due(group, group.settings.answer().turn()));
            }
        }
        due.sort(Comparator.comparingLong(Due::turn));
        int failures = 0;
        for (Due next : due) {
            renew(next.group);
            failures = next.group.settings.answer().failed() ? failures + 1 : 0;
            if (failures == DOWN) {
                return;
            }
        }
    }

    /** {@return whether a group has no answer that holds} */
    private boolean isOwed(Group group) {
        Answer known = group.settings.answer();
        return known.failed() || known.turn() < allChanged.get();
    }

    /** {@return whether a group was used since it was last asked for} */
    private static boolean isUsed(Group group) {
        return group.queued() > 0
                || group.inFlight() > 0
                || ended(group) != group.settings.answer().ended();
    }

    private static long ended(Group group) {
        return group.counters.totals(0).submitted();
    }

    // ---- failures

    private void failed(String key, Throwable failure) {
        long now = engine.now();
        long last = loggedAt.get();
        if ((last >= 0 && now - last < LOGGED_NANOS) || !loggedAt.compareAndSet(last, now)) {
            unlogged.incrementAndGet();
            return;
        }
        int others = unlogged.getAndSet(0);
        Log.write(
                Level.WARNING,
                () -> "The limits resolver failed for group '" + KeyText.printable(key) + "'"
                        + (others == 0 ? "" : ", and " + others + " times before")
                        + ". The group keeps what was known of it, or else what it inherits; it is asked again."
                        + " Failures are logged at most once a minute.",
                failure);
    }
}
