package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Grant;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.OnStoreLoss;
import io.github.kobe.cluster.Statement;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.doors.Engine;
import io.github.kobe.internal.permits.Groups;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An instance among those that share the limits of some groups: it leases capacity for one engine. It says to the store what it
 * has and wants, and has the engine start no more than it was granted, and nothing once that counts no more.
 *
 * <p>What keeps all of them within the limit:
 *
 * <ul>
 *   <li>From the moment a statement is made, the engine starts nothing beyond what was stated. It may have more once the
 *       answer to the newest statement has come, and only if that grants some. Whoever gives some back lowers the engine's
 *       bound before it says so.
 *   <li>What is leased counts for {@link Times#counts()} from the making of the newest statement that was answered, if the
 *       store knows of all that the node has: everything has been said in the session and epoch of that answer. After that
 *       nothing starts, and what was leased is lost.
 * </ul>
 *
 * <pre>
 *   NO SESSION  -> OPEN          OPEN is answered
 *   OPEN        -> NO SESSION    GONE: the store has ended the session, or has forgotten it
 *   counts      -> over          the deadline comes, GONE in the epoch that was known, REFUSED, or the machine was suspended
 *   over        -> counts        an answer, once all is said
 *   over        -> alone         a statement made since has no answer, nor the one before, and the settings say so
 *   alone       -> over          an answer, unless the store has to learn first: then shortly before it has
 * </pre>
 *
 * <p>All but {@link #wake} is for one thread, which calls {@link #step} again and again.
 */
public final class ClusterNode extends ClusterSignals {

    /** How often it is looked at how much is in use. */
    private static final long SAMPLE = TimeUnit.MILLISECONDS.toNanos(100);

    /** A step that comes so much later than it was to: there may be answers that haven't been handed over yet. */
    private static final long LATE = TimeUnit.SECONDS.toNanos(1);

    private static final long A_MOMENT = TimeUnit.MILLISECONDS.toNanos(20);

    /** If the wall clock leaves the engine's by more, in milliseconds, the process may have been suspended. */
    private static final long MOST_APART = 4_000;

    private static final long LEAST_BACK_OFF = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MOST_BACK_OFF = TimeUnit.SECONDS.toNanos(1);

    /** Shorter than {@link Times#timeout} of the shortest lease: so the store counts all the time that passes meanwhile. */
    private static final long AGAIN_IF_REFUSED = TimeUnit.MILLISECONDS.toNanos(500);

    private final ClusterSettings settings;
    private final ClusterStore store;
    private final Times times;
    private final long idleReturn;
    private final boolean servesAlone;
    private final LongSupplier wallMillis;
    private final RandomGenerator random;
    private final Inbox inbox;
    private final Membership membership;
    private final Holdings holdings = new Holdings();
    private final Pace pace = new Pace();

    private @Nullable Groups engine;
    private @Nullable Leasing leasing;
    private @Nullable Standing standing;

    /** The statement under way; {@code null}: none. */
    private @Nullable Spoken underWay;
    /** Until when what is leased counts; 0: it doesn't. */
    private long deadline;

    /** When it lost what it had. */
    private long lostAt;

    private long heartbeatAt;
    private long sampleAt;
    private long dueAt;
    private long speakAgainAt;

    /** How often in a row there was no answer. */
    private int failures;

    /** Whether the last answer said that the node can't share with those that are there. */
    private boolean refused;

    /** Whether the engine takes no more work. */
    private boolean ending;

    private boolean left;

    /** The statement whose answer was waited for a moment longer, since the thread was late; until when it is. */
    private @Nullable Spoken waitedFor;

    private long notOverdueBefore;

    /** How far the wall clock was from the engine's, in milliseconds, when what counts was said. */
    private long apart;

    /**
     * What it takes from outside, so that tests can replace it.
     *
     * @param nanoTime the clock of its engine
     * @param wallMillis the clock on the wall, in milliseconds
     */
    record Surroundings(LongSupplier nanoTime, LongSupplier wallMillis, RandomGenerator random) {}

    /**
     * What was said and is not answered yet.
     *
     * @param at when
     * @param apart how far the wall clock was from the engine's then
     */
    private record Spoken(Statement statement, List<Holding> of, long at, long apart) {}

    ClusterNode(ClusterSettings settings, Surroundings surroundings) {
        this.settings = settings;
        store = settings.store();
        times = new Times(settings.lease().toMillis());
        idleReturn = settings.idleReturn().toNanos();
        servesAlone = settings.onStoreLoss() == OnStoreLoss.LOCAL;
        random = surroundings.random();
        wallMillis = surroundings.wallMillis();
        inbox = new Inbox(surroundings.nanoTime());
        membership = new Membership(settings.nodeName(), settings.lease(), random);
    }

    /** {@return a new engine, for which a new node leases} */
    public static Engine engine(CompiledPolicy policy, ClusterSettings settings) {
        ClusterNode node = new ClusterNode(
                settings, new Surroundings(System::nanoTime, System::currentTimeMillis, new SecureRandom()));
        Engine made = Engine.of(policy, node);
        node.join(made);
        Standing.begins(policy);
        var unused = ClusterThread.start(node);
        return made;
    }

    /** It leases for that engine, which was made with it. */
    void join(Groups made) {
        engine = made;
        standing = new Standing(settings, times, made::now, wallMillis);
        leasing = new Leasing(made, idleReturn, holdings);
        apart = apart(made.now());
        inbox.keepHintsFor(membership.session());
        inbox.hearFrom(store);
    }

    Inbox inbox() {
        return inbox;
    }

    @Override
    protected void wake() {
        inbox.wake();
    }

    private long now() {
        return Objects.requireNonNull(engine).now();
    }

    private Leasing leasing() {
        return Objects.requireNonNull(leasing);
    }

    private Standing standing() {
        return Objects.requireNonNull(standing);
    }

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    // ---- one step

    /**
     * Does what is to be done.
     *
     * @return in how many nanoseconds there is something to do again, unless it is woken before; {@link Long#MAX_VALUE}: never,
     *     its engine has ended, and it has said so
     */
    long step() {
        long now = now();
        loseIfOver(now);
        loseIfSuspended(now);
        hear();
        leasing().comeBackIfDue(now);
        take(leasing()::touched);
        leasing().endTurns(now);
        giveUpIfOverdue(now);
        boolean ends = leasing().isEnding() && !ending;
        ending |= ends;
        if (now >= sampleAt || ends) {
            sampleAt = now + SAMPLE;
            leasing().sample(now);
        }
        speakIfDue(now);
        standing().publish(now, deadline, leasing().isAlone(), left);
        if (left) {
            inbox.close();
            return Long.MAX_VALUE;
        }
        dueAt = nextAt(now);
        return Math.max(0, dueAt - now);
    }

    private long nextAt(long now) {
        Spoken spoken = underWay;
        long at = Math.min(leasing().nextTurnEnds(), deadline == 0 ? leasing().comesBackAt() : deadline);
        if (!holdings.isEmpty()) {
            at = Math.min(at, sampleAt);
        }
        if (spoken != null) {
            return Math.min(at, Math.max(spoken.at() + nanos(times.timeout()), notOverdueBefore));
        }
        long wanted = membership.isOpen() && !holdings.isAnyDue() ? heartbeatAt : now;
        long possible = Math.max(speakAgainAt, now + pace.delay(now));
        return Math.min(at, Math.max(wanted, possible));
    }

    // ---- speaking

    private void speakIfDue(long now) {
        if (left || underWay != null || now < speakAgainAt || pace.delay(now) > 0) {
            return;
        }
        if (leasing().hasEnded()) {
            leave(now);
        } else if (!membership.isOpen()) {
            speak(Statement.Kind.OPEN, false, List.of(), List.of(), now);
        } else if (now >= heartbeatAt || holdings.isAnyDue()) {
            exchange(now);
        }
    }

    private void exchange(long now) {
        boolean heartbeat = now >= heartbeatAt;
        List<Holding> of = new ArrayList<>();
        List<Demand> demands = new ArrayList<>();
        for (Holding holding : holdings.next(heartbeat, failures > 0 || refused)) {
            leasing().look(holding, now); // so from here on the engine has no more than is said
            if (holdings.find(holding.key) != null) {
                of.add(holding);
                demands.add(holding.demand(now));
                holdings.spokenOf(holding);
            }
        }
        if (heartbeat) {
            long beat = nanos(times.heartbeat());
            heartbeatAt = now + beat - beat / 10 + random.nextLong(beat / 5);
        }
        if (heartbeat || failures > 0 || !demands.isEmpty()) {
            speak(Statement.Kind.EXCHANGE, heartbeat, of, demands, now);
        }
    }

    /** Nothing runs any more, and nothing will: all that is left is to say so, once. */
    private void leave(long now) {
        if (membership.isOpen()) {
            speak(Statement.Kind.CLOSE, false, List.of(), List.of(), now);
        } else {
            left = true;
        }
    }

    private void speak(Statement.Kind kind, boolean heartbeat, List<Holding> of, List<Demand> demands, long now) {
        Statement statement = membership.statement(kind, now, heartbeat, demands);
        underWay = new Spoken(statement, of, now, apart(now));
        pace.spoken(now);
        standing().spoke(demands.size());
        Inbox to = inbox; // the store keeps no more than that
        try {
            var unused =
                    store.exchange(statement).whenComplete((answer, failure) -> to.heard(statement, answer, failure));
        } catch (RuntimeException failure) {
            to.heard(statement, null, failure);
        }
    }

    // ---- hearing

    private void hear() {
        for (Inbox.Arrived arrived = inbox.poll(); arrived != null; arrived = inbox.poll()) {
            // By the clock as it is once the answer has come. If this thread has stood still until what it has counts
            // no more, the session may have ended, and a doubled opening may have made it again.
            long now = now();
            loseIfOver(now);
            switch (arrived) {
                case Inbox.Heard heard -> heard(heard, now);
                case Inbox.Hinted hinted -> hinted(hinted.hint(), now);
            }
        }
    }

    private void hinted(Hint hint, long now) {
        if (hint.session().equals(membership.session())) {
            standing().hinted();
            hint.resources().forEach(resource -> leasing().hinted(resource, now));
        }
    }

    private void heard(Inbox.Heard heard, long now) {
        Spoken spoken = underWay;
        if (spoken == null || !heard.isTo(spoken.statement())) {
            return; // given up before
        }
        underWay = null;
        left = spoken.statement().kind() == Statement.Kind.CLOSE;
        Answer answer = heard.answer();
        if (left) {
            return;
        }
        if (answer == null) {
            notAnswered(spoken, heard.failure(), now);
            return;
        }
        long at = Objects.requireNonNull(engine).sinceOrigin(heard.at());
        standing().answered(answer, at, Math.max(0, at - spoken.at()));
        boolean learns =
                answer.kind() != Answer.Kind.REFUSED && answer.learning().isPositive();
        leasing().comeBackAt(learns ? at + answer.learning().toNanos() - nanos(times.endOfLearning()) : now);
        leasing().comeBackIfDue(now);
        switch (answer.kind()) {
            case OK -> answered(spoken, answer, at, now);
            case GONE -> gone(answer, now);
            case STALE -> notHeard(now);
            case REFUSED -> refused(spoken, now);
        }
    }

    private void answered(Spoken spoken, Answer answer, long at, long now) {
        failures = 0;
        refused = false;
        if (answer.epoch() != membership.epoch()) {
            holdings.unsayAll(Holding::unsay); // first, so that it is done again if it fails midway
        }
        membership.heard(spoken.statement(), answer, at);
        for (int i = 0; i < spoken.of().size(); i++) {
            granted(
                    spoken.of().get(i),
                    spoken.statement().demands().get(i),
                    answer.grants().get(i),
                    now);
        }
        answer.hints().forEach(resource -> leasing().hinted(resource, now));
        if (holdings.areAllSaid() && !leasing().isAlone()) {
            apart = spoken.apart();
            deadline = spoken.at() + nanos(times.counts());
            leasing().countsUntil(deadline);
        }
    }

    private void granted(Holding holding, Demand demand, Grant grant, long now) {
        standing().granted(demand, grant, now);
        int bound = holding.granted(demand, grant, now);
        holdings.said(holding);
        leasing().granted(holding, bound, now);
    }

    private void gone(Answer answer, long now) {
        // The store has either ended the session, and may have given others what it had; or it has forgotten, and tells
        // so by another epoch: then it gives nobody anything for so long that what is leased counts as before.
        if (membership.epoch() == answer.epoch() && !leasing().isAlone()) {
            lose(now);
        }
        holdings.unsayAll(Holding::unsayInNewSession); // first, so that it is done again if it fails midway
        renewSession(answer.epoch());
    }

    private void refused(Spoken spoken, long now) {
        lose(now);
        refused = true;
        speakAgainAt = spoken.at() + AGAIN_IF_REFUSED;
        heartbeatAt = speakAgainAt;
    }

    private void giveUpIfOverdue(long now) {
        Spoken spoken = underWay;
        if (spoken == null) {
            return;
        }
        if (now - dueAt > LATE && !spoken.equals(waitedFor)) {
            waitedFor = spoken;
            notOverdueBefore = now + A_MOMENT;
        }
        if (now >= Math.max(spoken.at() + nanos(times.timeout()), notOverdueBefore)) {
            underWay = null;
            left = spoken.statement().kind() == Statement.Kind.CLOSE;
            notAnswered(spoken, null, now);
        }
    }

    private void notAnswered(Spoken spoken, @Nullable Throwable failure, long now) {
        standing().notAnswered(failure);
        notHeard(now);
        boolean over = deadline == 0 && spoken.at() >= lostAt;
        boolean away = failures > 1 && !refused;
        if (servesAlone && over && away && !leasing().isAlone()) {
            leasing().goAlone();
            renewSession(membership.epoch());
        }
    }

    /** What was said may have been carried out nevertheless; the next sample finds what is to be said again. */
    private void notHeard(long now) {
        long most = Math.min(MOST_BACK_OFF, LEAST_BACK_OFF << Math.min(failures, 10));
        failures++;
        speakAgainAt = now + LEAST_BACK_OFF + random.nextLong(most);
    }

    // ---- losing what is leased

    private void loseIfOver(long now) {
        if (deadline != 0 && isOver(now)) {
            lose(now);
        }
    }

    private void lose(long now) {
        leasing().lose(now);
        lostAt = now;
        deadline = 0; // not before all is done: it is done again until nothing fails
    }

    private void renewSession(long epoch) {
        membership.renew(epoch);
        inbox.keepHintsFor(membership.session());
    }

    /**
     * A process that was suspended, or that goes on from a copy, doesn't know how long it was away by its own clock. So if the
     * wall clock has gone its own way since what counts was said, nothing counts until the store answers to what is said now.
     */
    private void loseIfSuspended(long now) {
        long nowApart = apart(now);
        if (leasing().isAlone()) {
            apart = nowApart; // it has nothing that counts
        }
        if (Math.abs(nowApart - apart) <= MOST_APART) {
            return;
        }
        lose(now);
        standing().suspended();
        apart = nowApart;
        underWay = null; // it may have been answered long ago
    }

    private long apart(long now) {
        return wallMillis.getAsLong() - TimeUnit.NANOSECONDS.toMillis(now);
    }

    // ---- for those who watch

    @Override
    public Optional<Cluster> shown() {
        return Optional.of(standing());
    }

    /** {@return until when what is leased counts, by the engine's clock; 0: it doesn't} */
    long countsUntil() {
        return deadline;
    }

    /** {@return whether the engine goes by its own numbers, since there is no store} */
    boolean isAlone() {
        return leasing().isAlone();
    }

    String session() {
        return membership.session();
    }

    int holdings() {
        return holdings.all().size();
    }

    /** {@return whether its engine has ended, and it has said so} */
    boolean hasLeft() {
        return left;
    }
}
