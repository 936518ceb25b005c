package io.github.kobe.internal.doors;

import io.github.kobe.GroupPolicy;
import io.github.kobe.internal.base.Answer;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.base.Rounds;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Groups;
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
final class LimitsTable {

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

    private final Rounds rounds;

    /** Whether there may be a group that is {@linkplain #isOwed owed} an answer. */
    private volatile boolean owes;

    /** When all groups in use were last asked for, or would have been. */
    private volatile long refreshedAt;

    /** The turn in which that began: groups that it has left out, since the resolver is down, have older answers. */
    private volatile long refreshTurn;

    /** Failures that were not logged, and when one was; -1: never. */
    private final AtomicInteger unlogged = new AtomicInteger();

    private final AtomicLong loggedAt = new AtomicLong(-1);

    LimitsTable(Groups engine) {
        this.engine = engine;
        rounds = new Rounds(engine, this::nextLookIn, this::look);
    }

    // ---- questions

    /** {@return what is said of a group that isn't there yet} */
    Answer ask(CompiledPolicy by, String key) {
        return by.hasLimitsResolver() ? ask(by, key, Answer.NONE, 0) : Answer.NONE;
    }

    private Answer ask(CompiledPolicy by, String key, Answer known, long ended) {
        long turn = turns.incrementAndGet();
        return by.ask(key, engine.isInCluster(), known, turn, ended, failure -> failed(key, failure));
    }

    /** {@return what is said of a group; asked again} */
    Answer askAgain(CompiledPolicy by, Group group) {
        Answer kept = group.keep(ask(by, group.key, group.answer(), group.counters.ended()));
        if (kept.failed()) {
            owes = true;
        }
        return kept;
    }

    /** {@return what was said of a group; asked only if that was somebody else} */
    Answer answerOf(CompiledPolicy by, Group group) {
        Answer known = group.answer();
        return by.accepts(known) ? known : askAgain(by, group);
    }

    /** {@return all numbers of a group} May ask. */
    EffectiveLimits resolve(CompiledPolicy by, Group group) {
        return by.resolve(group.key, answerOf(by, group));
    }

    /** Puts what is said of a group now in force. */
    private void renew(Group group) {
        Answer unused = askAgain(engine.policy, group);
        engine.rebase(group);
    }

    /** A group was made, and can be found from now on. */
    void made(Group group) {
        if (engine.policy.hasLimitsResolver()) {
            if (group.answer().failed()) {
                owes = true;
            }
            if (group.answer().turn() < changed.get()) {
                renew(group); // changed while it was asked for, and couldn't be found then
            }
            rounds.next();
        }
    }

    // ---- changes

    /** What is said of a group has changed. */
    void changed(String key) {
        changed.accumulateAndGet(turns.incrementAndGet(), Math::max);
        Group group = engine.groupIfKnown(key);
        if (group != null && engine.policy.hasLimitsResolver()) {
            renew(group);
            rounds.next();
        }
    }

    /** What is said of any group may have changed. */
    void changed() {
        long now = turns.incrementAndGet();
        changed.accumulateAndGet(now, Math::max);
        allChanged.accumulateAndGet(now, Math::max);
        if (engine.policy.hasLimitsResolver()) {
            owes = true;
            look(group -> group.answer().turn() < now);
            rounds.next();
        }
    }

    /** A new policy is in force, and all groups go by it. One that asks nobody else, and as often, changes nothing here. */
    void policyChanged() {
        GroupPolicy policy = engine.policy.source();
        rounds.goBy(List.of(policy.limitsResolver(), policy.limitsRefresh()), () -> refreshedAt = engine.now());
    }

    // ---- now and then

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

    private void look() {
        long now = engine.now();
        boolean refreshes = now - refreshedAt >= refreshNanos();
        if (refreshes) {
            refreshedAt = now;
            refreshTurn = turns.incrementAndGet();
        }
        if (refreshes || owes) {
            owes = false;
            look(this::isOwed);
        }
    }

    /** Asks for some groups, those first for which that is longest ago. */
    private void look(Predicate<Group> asked) {
        record Due(Group group, long turn) {}
        List<Due> due = new ArrayList<>();
        for (Group group : engine.groups()) {
            if (asked.test(group)) {
                due.add(new Due(group, group.answer().turn()));
            }
        }
        due.sort(Comparator.comparingLong(Due::turn));
        int failures = 0;
        for (Due next : due) {
            renew(next.group);
            failures = next.group.answer().failed() ? failures + 1 : 0;
            if (failures == DOWN) {
                return;
            }
        }
    }

    /** {@return whether a group has no answer that holds, or is in use and was left out by the last refresh} */
    private boolean isOwed(Group group) {
        Answer known = group.answer();
        return known.failed() || known.turn() < allChanged.get() || (known.turn() < refreshTurn && isUsed(group));
    }

    /** {@return whether a group was used since it was last asked for} */
    private static boolean isUsed(Group group) {
        return group.queued() > 0
                || group.inFlight() > 0
                || group.counters.ended() != group.answer().ended();
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
