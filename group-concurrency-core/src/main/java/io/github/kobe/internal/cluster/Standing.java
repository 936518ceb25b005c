package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.ClusterState.Kind;
import io.github.kobe.cluster.ClusterTotals;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Grant;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.OnStoreLoss;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.DurationText;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Log;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How a node stands with the store. The cluster's thread notes what happens and publishes it after each step, when it also logs
 * what has changed; anybody reads what was published.
 */
final class Standing implements Cluster {

    private static final long NEVER = Long.MIN_VALUE;

    /** How often is logged what comes and goes. */
    private static final long SPARING = TimeUnit.MINUTES.toNanos(1);

    /** So many changes are logged at once before that: those of two outages. */
    private static final int BURST = 12;

    private final ClusterSettings settings;
    private final Times times;

    /** The engine's clock. */
    private final LongSupplier clock;

    private final LongSupplier wallMillis;

    // ---- what the cluster's thread has noted
    private long heardAt = NEVER;
    private long learntAt = NEVER;
    private long epoch;
    private int nodes;
    private @Nullable String reason = "it has not answered yet";
    private boolean refused;
    private long begunAt = NEVER;
    private long answered;
    private long took;
    private long failed;
    private long demands;
    private long hints;

    // ---- what it has logged
    private @Nullable Kind logged;
    private boolean loggedAsRefused;
    private boolean loggedAsAlone;
    private long lossLoggedAt = NEVER;
    /** When all lines would have been written if they came once a minute. */
    private long paidUntil;

    private long differedAt = NEVER;

    private volatile Facts facts;

    /**
     * What was published. Times are by the engine's clock.
     *
     * @param kind how it stood then
     * @param since since when
     * @param countsUntil until when what is leased counts; 0: nothing does
     * @param heardAt when the store last answered
     * @param learntAt when the store begins to grant
     */
    private record Facts(
            Kind kind,
            Instant since,
            long countsUntil,
            long heardAt,
            long learntAt,
            int nodes,
            long epoch,
            boolean alone,
            Optional<String> reason,
            ClusterTotals totals) {}

    Standing(ClusterSettings settings, Times times, LongSupplier clock, LongSupplier wallMillis) {
        this.settings = settings;
        this.times = times;
        this.clock = clock;
        this.wallMillis = wallMillis;
        facts = facts(Kind.LOST, wall(), 0, false);
    }

    /** Tells of numbers over all instances that one instance can't use in full. */
    static void begins(CompiledPolicy policy) {
        List<CompiledPolicy.OutOfReach> all = policy.outOfReach().toList();
        if (!all.isEmpty()) {
            CompiledPolicy.OutOfReach first = all.getFirst();
            int more = all.size() - 1;
            String rule = first.rule().isEmpty() ? "by the defaults" : "'" + KeyText.printable(first.rule()) + "'";
            String others = more == 0 ? "" : " So it is with " + more + " more of the policy's rules.";
            int instances = Math.ceilDiv(first.inAll(), first.own());
            Log.write(
                    Level.INFO,
                    () -> "A group " + rule + " may have " + first.inAll() + " in flight over all instances and "
                            + first.own() + " in this one: with the same numbers everywhere, all " + first.inAll()
                            + " are reached from " + instances + " instances on." + others);
        }
    }

    // ---- what happens, told by the cluster's thread

    void spoke(int ofGroups) {
        demands += ofGroups;
    }

    void hinted() {
        hints++;
    }

    /** The store answered, in so many nanoseconds. */
    void answered(Answer answer, long at, long inNanos) {
        answered++;
        took += inNanos;
        heardAt = at;
        epoch = answer.epoch();
        learntAt = at + answer.learning().toNanos();
        nodes = answer.nodes() == 0 ? nodes : answer.nodes();
        refused = answer.kind() == Answer.Kind.REFUSED;
        reason = switch (answer.kind()) {
            case OK, STALE -> null;
            case GONE -> "it has ended or forgotten the session of this instance";
            case REFUSED -> answer.reason();
        };
    }

    void notAnswered(@Nullable Throwable failure) {
        failed++;
        if (failure == null) {
            reason = notInTime();
        } else {
            reason = describe(failure);
            Log.write(Level.DEBUG, () -> "The store of the limits over all instances gave no answer.", failure);
        }
    }

    private String notInTime() {
        return "it has not answered within " + inWords(times.timeout());
    }

    void suspended() {
        reason = "the machine was suspended, or its clock was set, and it has not been asked since";
    }

    /** Another instance has another limit than this one. */
    void granted(Demand demand, Grant grant, long now) {
        if (grant.limit() < demand.limit() && (differedAt == NEVER || now - differedAt >= SPARING)) {
            differedAt = now;
            Log.write(
                    Level.INFO,
                    () -> "The group '" + KeyText.printable(demand.resource().substring(Demand.GROUP.length()))
                            + "' may have " + demand.limit()
                            + " in flight over all instances by the policy of this one, and "
                            + grant.limit() + " by that of another: the smaller number is in force.");
        }
    }

    /**
     * A step is over.
     *
     * @param countsUntil until when what is leased counts; 0: nothing does
     */
    void publish(long now, long countsUntil, boolean alone, boolean left) {
        Kind kind = left ? Kind.CLOSED : kind(now, countsUntil, heardAt, learntAt, alone);
        Facts before = facts;
        Facts next = facts(kind, kind == before.kind() ? before.since() : wall(), countsUntil, alone);
        if (!next.equals(before)) {
            facts = next;
        }
        begunAt = begunAt == NEVER ? now : begunAt;
        // At first it connects; and who has just heard of the store and has nothing yet is about to say what it has.
        boolean isKnown = switch (kind) {
            case CONNECTED -> nodes > 0;
            case LOST -> answered == 0 ? now - begunAt > silence() : reason != null || isSilent(now, heardAt);
            default -> true;
        };
        boolean isNewLoss = kind == Kind.LOST && (lossLoggedAt == NEVER || now - lossLoggedAt >= SPARING);
        if (isKnown && (kind != logged || refused != loggedAsRefused) && (isNewLoss || mayLog(now))) {
            logged = kind;
            loggedAsRefused = refused;
            lossLoggedAt = kind == Kind.LOST ? now : lossLoggedAt;
            pay(now);
            log(kind, now, countsUntil);
        }
        if (alone != loggedAsAlone && !left && mayLog(now)) {
            loggedAsAlone = alone;
            pay(now);
            logAlone(alone);
        }
    }

    /** {@return whether there has been little to log lately} */
    private boolean mayLog(long now) {
        return paidUntil - now < BURST * SPARING;
    }

    private void pay(long now) {
        paidUntil = Math.max(paidUntil, now) + SPARING;
    }

    private Facts facts(Kind kind, Instant since, long countsUntil, boolean alone) {
        return new Facts(
                kind,
                since,
                countsUntil,
                heardAt,
                learntAt,
                nodes,
                epoch,
                alone,
                Optional.ofNullable(reason),
                new ClusterTotals(answered, Duration.ofNanos(took), failed, demands, hints));
    }

    private Kind kind(long now, long countsUntil, long heard, long learnt, boolean alone) {
        boolean silent = isSilent(now, heard);
        if (now >= countsUntil) {
            return alone && !silent && now < learnt ? Kind.LEARNING : Kind.LOST;
        }
        if (silent) {
            return Kind.STALE;
        }
        return now < learnt ? Kind.LEARNING : Kind.CONNECTED;
    }

    private boolean isSilent(long now, long heard) {
        return heard == NEVER || now - heard > silence();
    }

    private long silence() {
        return TimeUnit.MILLISECONDS.toNanos(times.silence());
    }

    private static void logAlone(boolean alone) {
        if (alone) {
            Log.write(
                    Level.WARNING,
                    () -> "The store of the limits over all instances is away: from now on this instance goes by its"
                            + " own numbers, so all together may have more in flight than these limits allow.");
        } else {
            Log.write(
                    Level.INFO,
                    () -> "This instance goes by its own numbers no more, but by what the store of the limits over all"
                            + " instances grants.");
        }
    }

    private void log(Kind kind, long now, long countsUntil) {
        String why = reason == null ? "nothing was heard of it" : reason;
        switch (kind) {
            case CONNECTED ->
                Log.write(
                        Level.INFO,
                        () -> "The instance " + name()
                                + " shares limits with others by " + settings.store() + ", which answers; it is one of "
                                + nodes + ".");
            case LEARNING ->
                Log.write(
                        Level.INFO,
                        () -> "The store of the limits over all instances has just begun, has forgotten, or was not"
                                + " asked for long. For "
                                + inWords(TimeUnit.NANOSECONDS.toMillis(learntAt - now))
                                + " it grants nothing, while all instances say what they have. "
                                + (facts.alone()
                                        ? "This one goes by its own numbers until shortly before that."
                                        : "What they have serves on."));
            case STALE ->
                Log.write(
                        Level.INFO,
                        () -> "The store of the limits over all instances doesn't answer: " + why
                                + ". What this instance has" + " serves for "
                                + inWords(TimeUnit.NANOSECONDS.toMillis(countsUntil - now)) + " more.");
            case LOST ->
                Log.write(
                        Level.WARNING,
                        () -> refused
                                ? "This instance is refused where limits are shared: " + why
                                        + ". All instances need the same lease, and nothing starts in groups with"
                                        + " such a limit here until that is so."
                                : "The store of the limits over all instances is lost: " + why + ". "
                                        + (settings.onStoreLoss() == OnStoreLoss.LOCAL
                                                ? "Once it is certain that it is away, this instance goes by its own"
                                                        + " numbers."
                                                : "Nothing starts in groups with such a limit until it answers."));
            case CLOSED -> {
                // Whoever closed the executor knows.
            }
        }
    }

    private String name() {
        return "'" + KeyText.printable(settings.nodeName()) + "'";
    }

    private static String inWords(long millis) {
        return DurationText.inWords(Duration.ofMillis(millis));
    }

    private static String describe(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        String message = cause.getMessage();
        return message == null ? "it gives no reason" : message;
    }

    private Instant wall() {
        return Instant.ofEpochMilli(wallMillis.getAsLong());
    }

    // ---- for anybody

    @Override
    public ClusterSettings settings() {
        return settings;
    }

    @Override
    public ClusterState state() {
        Facts known = facts;
        long now = clock.getAsLong();
        // If the cluster's thread hasn't come to see it, what is leased may count no more since.
        Kind kind = known.kind() == Kind.CLOSED
                ? Kind.CLOSED
                : kind(now, known.countsUntil(), known.heardAt(), known.learntAt(), known.alone());
        return new ClusterState(
                kind,
                kind == known.kind() ? known.since() : wall(),
                known.nodes(),
                known.epoch(),
                left(known.learntAt(), now),
                left(known.countsUntil(), now),
                known.heardAt() == NEVER
                        ? Optional.empty()
                        : Optional.of(Duration.ofNanos(Math.max(0, now - known.heardAt()))),
                known.alone(),
                known.reason());
    }

    private static Duration left(long until, long now) {
        return Duration.ofNanos(until <= now ? 0 : until - now);
    }

    @Override
    public ClusterTotals totals() {
        return facts.totals();
    }

    @Override
    public CompletionStage<List<NodeShare>> nodes() {
        return ask(null);
    }

    @Override
    public CompletionStage<List<NodeShare>> look(String groupKey) {
        if (groupKey.isEmpty()) {
            throw new IllegalArgumentException("groupKey must be the key of a group, was ''");
        }
        return ask(Demand.GROUP + groupKey);
    }

    private CompletionStage<List<NodeShare>> ask(@Nullable String resource) {
        CompletableFuture<List<NodeShare>> asked = new CompletableFuture<>();
        // On a thread of its own: what follows on the answer may block, and the store's may not.
        var unused = settings.store()
                .look(resource)
                .whenCompleteAsync(
                        (shares, failure) -> {
                            if (failure == null) {
                                asked.complete(shares);
                            } else {
                                asked.completeExceptionally(failure);
                            }
                        },
                        Thread::startVirtualThread);
        return asked.orTimeout(times.timeout(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedStage(
                        failure instanceof TimeoutException && failure.getMessage() == null
                                ? new TimeoutException(notInTime())
                                : failure));
    }
}
