package io.github.kobe.audit;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.Rate;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTotals;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows that an executor is sound once all is quiet: I1, I2, I5 by what its {@link Witness} found, I3 by filling it
 * (exactly the limit gets in, in each group and over all, and not one more), I4 by what waits, I6 by adding up, I7 by the
 * groups it still knows.
 */
public final class Audit {

    /** A limit beyond isn't filled, which takes long and shows nothing more: so many are let in. */
    private static final int MOST_PERMITS = 100;

    private static final int SOME_PERMITS = 3;
    private static final int MOST_GROUPS = 50;

    private final GroupExecutor executor;
    private final @Nullable Witness witness;
    private final Rest rest;
    private final List<String> findings = new ArrayList<>();

    private Audit(GroupExecutor executor, @Nullable Witness witness, Rest rest) {
        this.executor = executor;
        this.witness = witness;
        this.rest = rest;
    }

    /** How an audit waits until all that can happen has happened. */
    private interface Rest {

        /** {@return whether a condition holds once all is at rest} */
        boolean reached(BooleanSupplier condition);

        /** {@return whether nothing happens later, so that there is no excuse for what still is to be done} */
        boolean isExact();
    }

    /** Looks again and again: nobody knows when real threads have done all they will do. */
    private record Polls(GroupExecutor executor, boolean timers) implements Rest {

        @Override
        public boolean reached(BooleanSupplier condition) {
            return Deadline.reached(() -> {
                if (!timers) {
                    EngineAccess.runDue(executor);
                }
                return condition.getAsBoolean();
            });
        }

        @Override
        public boolean isExact() {
            return false;
        }
    }

    /** Lets all others go on until none of them can, then looks once. */
    private record Settles(Runnable settle) implements Rest {

        @Override
        public boolean reached(BooleanSupplier condition) {
            settle.run();
            return condition.getAsBoolean();
        }

        @Override
        public boolean isExact() {
            return true;
        }
    }

    /**
     * Waits until all is quiet, then checks everything; fails with all that is wrong.
     *
     * @param witness null if the executor runs without one
     * @param timers whether the executor has timers; else what is due is run here
     */
    public static void check(GroupExecutor executor, @Nullable Witness witness, boolean timers) {
        fail(executor, findings(executor, witness, new Polls(executor, timers)));
    }

    /**
     * Checks everything where no real thread takes part, so that it is known when nothing can happen any more; and shuts the
     * executor down. Then no more than {@code maxIdleGroups} groups may be left, and none that is paused.
     *
     * @param settle lets all others go on until none of them can
     */
    public static void checkExactly(GroupExecutor executor, @Nullable Witness witness, Runnable settle) {
        fail(executor, findings(executor, witness, new Settles(settle)));
    }

    private static List<String> findings(GroupExecutor executor, @Nullable Witness witness, Rest rest) {
        Audit audit = new Audit(executor, witness, rest);
        try {
            audit.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            audit.findings.add("the audit was interrupted");
        }
        return audit.findings;
    }

    private static void fail(GroupExecutor executor, List<String> findings) {
        if (!findings.isEmpty()) {
            throw new AssertionError(
                    "The audit found:\n  " + String.join("\n  ", findings) + "\n" + describe(executor));
        }
    }

    /**
     * I4, with tasks held inside: waits until no group that isn't paused has both something waiting and room for it.
     */
    public static void checkNoLostWakeUp(GroupExecutor executor) {
        Deadline.until(
                () -> "I4: what waits has room\n" + describe(executor),
                () -> lostWakeUps(executor).isEmpty());
    }

    /** {@return the groups that aren't paused and have both something waiting and room for it, in words} */
    public static List<String> lostWakeUps(GroupExecutor executor) {
        GroupExecutorStats all = executor.stats();
        List<String> lost = new ArrayList<>();
        for (String key : executor.groupKeys()) {
            executor.groupStats(key).ifPresent(group -> {
                if (group.queued() > 0
                        && !group.paused()
                        // What waits for time to pass is nothing that can be lost here.
                        && group.rates().isEmpty()
                        && all.globalRate().isUnlimited()
                        && group.running() < group.maxConcurrency().value()
                        && group.inFlight() < Math.min(group.maxInFlight().value(), EngineAccess.leased(executor, key))
                        && all.inFlight() < all.globalMaxInFlight() - headroomFor(group, executor.policy())) {
                    lost.add("I4: what waits has room: " + group + ", " + all);
                }
            });
        }
        return lost;
    }

    /** {@return how many of the free permits are not for the group as it is} */
    private static int headroomFor(GroupStats group, GroupPolicy policy) {
        return group.held() < little(group) ? 0 : policy.globalHeadroom();
    }

    /** {@return how much a group may hold with the headroom} */
    private static int little(GroupStats group) {
        return Math.min(group.guaranteed().value(), group.maxInFlight().value())
                + group.weight().value();
    }

    /** {@return how many global permits a group gets that is alone} */
    private int mostGlobal(GroupStats group) {
        int cap = executor.policy().globalMaxInFlight();
        return Math.max(cap - executor.policy().globalHeadroom(), Math.min(cap, little(group)));
    }

    private void run() throws InterruptedException {
        awaitQuiet();
        if (!findings.isEmpty()) {
            return;
        }
        checkTotals();
        if (witness != null) {
            checkStories(witness);
        }
        if (!executor.isShutdown()) {
            fill();
            awaitQuiet();
            checkIdleGroups();
        }
        if (rest.isExact() && !executor.isShutdown()) {
            executor.shutdown();
            awaitQuiet();
        }
        if (witness != null) {
            findings.addAll(witness.findings());
        }
    }

    /** I3, I4: in the end nothing runs, is in flight or waits, and no permit is held, nested or lent. */
    private void awaitQuiet() throws InterruptedException {
        boolean ended = rest.reached(() -> {
            GroupExecutorStats stats = executor.stats();
            return stats.running() == 0
                    && stats.inFlight() == 0
                    && stats.queued() == 0
                    && EngineAccess.busyGroups(executor).isEmpty()
                    && EngineAccess.open(executor).isEmpty();
        });
        Duration patience = rest.isExact() ? Duration.ZERO : Deadline.LONG;
        if (!ended) {
            findings.add("I3/I4: it never became quiet: " + executor.stats());
            findings.addAll(EngineAccess.busyGroups(executor));
            findings.addAll(EngineAccess.open(executor));
            findings.addAll(lostWakeUps(executor));
        } else if (executor.isShutdown() && !executor.awaitTermination(patience)) {
            findings.add("I3: shut down and empty, but never terminated");
        } else if (!executor.isShutdown() && !executor.awaitQuiet(patience)) {
            findings.add("I4: all is empty, but awaitQuiet says no");
        }
    }

    /** I6: what was submitted has ended in one way or another. */
    private void checkTotals() {
        if (!rest.reached(() -> {
            TaskTotals totals = executor.stats().totals();
            return totals.submitted() == totals.succeeded() + totals.failed() + totals.cancelled() + totals.rejected();
        })) {
            findings.add("I6: the totals don't add up: " + said());
        }
    }

    private void checkStories(Witness told) {
        if (!rest.reached(() -> {
            String heard = told.heard();
            return told.findingsAtRest().isEmpty() && (heard == null || heard.equals(said()));
        })) {
            findings.addAll(told.findingsAtRest());
            String heard = told.heard();
            if (heard != null && !heard.equals(said())) {
                findings.add("I2: the listener heard " + heard + "; the totals say " + said());
            }
        }
        told.checkHandles();
        told.settle();
    }

    private String said() {
        TaskTotals totals = executor.stats().totals();
        Map<RejectionReason, Long> rejected = totals.rejectedByReason();
        return Witness.describe(totals.submitted(), totals.succeeded(), totals.failed(), totals.cancelled(), rejected);
    }

    // ---------------------------------------------------------------- I3: filling

    private void fill() throws InterruptedException {
        GroupPolicy before = executor.policy();
        boolean rated = !before.globalRate().isUnlimited();
        if (rated) {
            executor.updatePolicy(before.toBuilder().globalRate(Rate.UNLIMITED).build());
        }
        fillGroups();
        fillGlobally();
        if (rated) {
            executor.updatePolicy(before);
        }
    }

    private void fillGroups() throws InterruptedException {
        int groups = 0;
        for (String key : new TreeSet<>(executor.groupKeys())) {
            boolean paused = executor.groupStats(key).map(GroupStats::paused).orElse(false);
            if (paused && rest.isExact()) {
                findings.add("group '" + key + "' was left paused");
            }
            if (!paused && groups++ < MOST_GROUPS) {
                GroupLimits before = liftRate(key);
                fillConcurrency(key);
                fillFlight(key);
                if (before != null) {
                    executor.setLimits(key, before);
                }
            }
        }
    }

    /** {@return the override that there was; null: nothing was lifted} */
    private @Nullable GroupLimits liftRate(String key) {
        // It may have been forgotten meanwhile, and is made anew.
        if (executor.groupStats(key)
                .map(GroupStats::rates)
                .orElseGet(() -> executor.policy().explain(key).rates())
                .isEmpty()) {
            return null;
        }
        GroupLimits before = executor.overrideOf(key).orElse(GroupLimits.unset());
        executor.setLimits(key, before.withRate(Rate.UNLIMITED));
        return before;
    }

    private void fillConcurrency(String key) throws InterruptedException {
        if (EngineAccess.leased(executor, key) == 0) {
            return;
        }
        Permits permits = new Permits();
        try {
            // The first permit makes the group known, if it was forgotten in between.
            permits.expectOneMore(key, "first of group '" + key + "'");
            GroupStats limits = executor.groupStats(key).orElseThrow();
            int most = Math.min(
                    Math.min(
                            limits.maxConcurrency().value(),
                            Math.min(limits.maxInFlight().value(), EngineAccess.leased(executor, key))),
                    mostGlobal(limits));
            for (int i = 1; i < permitsToTake(most); i++) {
                permits.expectOneMore(key, (i + 1) + " of " + most + " of group '" + key + "'");
            }
            if (most <= MOST_PERMITS) {
                permits.expectNoMore(key, "beyond " + most + " of group '" + key + "'");
            }
        } finally {
            permits.closeAll();
        }
    }

    /** Fills the flight layer with open stages, where it is wider than the concurrency, so that permits can't show it. */
    private void fillFlight(String key) throws InterruptedException {
        GroupStats limits = executor.groupStats(key).orElse(null);
        int mostHere = limits == null ? 0 : Math.min(limits.maxInFlight().value(), EngineAccess.leased(executor, key));
        if (limits == null || mostHere <= limits.maxConcurrency().value()) {
            return;
        }
        int most = Math.min(mostHere, mostGlobal(limits));
        List<CompletableFuture<String>> stages = new ArrayList<>();
        Permits permits = new Permits();
        try {
            for (int i = 0; i < permitsToTake(most); i++) {
                CompletableFuture<String> stage = new CompletableFuture<>();
                stages.add(stage);
                CompletableFuture<String> began = new CompletableFuture<>();
                executor.submitAsync(key, "audit", () -> {
                    began.complete("began");
                    return stage;
                });
                if (!rest.reached(() -> began.isDone()
                        && executor.groupStats(key).map(GroupStats::running).orElse(0) == 0)) {
                    findings.add("I3: open stage " + (i + 1) + " of " + most + " of group '" + key + "' never began");
                    return;
                }
            }
            if (most <= MOST_PERMITS) {
                permits.expectNoMore(key, "beyond " + most + " open stages of group '" + key + "'");
            }
        } finally {
            stages.forEach(stage -> stage.complete("done"));
            permits.closeAll();
        }
    }

    private static int permitsToTake(int most) {
        return most > MOST_PERMITS ? SOME_PERMITS : most;
    }

    private void fillGlobally() throws InterruptedException {
        int most = executor.policy().globalMaxInFlight();
        if (most > MOST_PERMITS) {
            return;
        }
        Permits permits = new Permits();
        try {
            for (int i = 0; i < most; i++) {
                permits.expectOneMore("audit-" + i, (i + 1) + " of " + most + " over all groups");
            }
            permits.expectNoMore("audit-" + most, "beyond " + most + " over all groups");
        } finally {
            permits.closeAll();
        }
    }

    private final class Permits {

        private final List<CompletableFuture<GroupPermit>> taken = new ArrayList<>();

        private void expectOneMore(String key, String which) {
            CompletableFuture<GroupPermit> permit = executor.acquireAsync(key).toCompletableFuture();
            taken.add(permit);
            if (!rest.reached(permit::isDone) || permit.isCompletedExceptionally()) {
                findings.add("I3: permit " + which + " was not to be had: " + permit + ", " + executor.groupStats(key));
            }
        }

        private void expectNoMore(String key, String which) {
            CompletableFuture<GroupPermit> extra = executor.acquireAsync(key).toCompletableFuture();
            if (extra.isDone() && !extra.isCompletedExceptionally()) {
                findings.add("I3: a permit " + which + " was to be had");
            }
            if (!taken.isEmpty()) {
                close(taken.removeFirst());
                if (!rest.reached(extra::isDone)) {
                    findings.add("I4: a permit came free, but who waited " + which + " never got it");
                } else if (extra.isCompletedExceptionally()
                        && !(extra.exceptionNow() instanceof RejectedTaskException)) {
                    findings.add("I3: who waited " + which + " got " + extra.exceptionNow());
                }
            }
            taken.add(extra);
        }

        private void closeAll() throws InterruptedException {
            taken.forEach(Audit::close);
            awaitQuiet();
        }
    }

    private static void close(CompletableFuture<GroupPermit> permit) {
        if (!permit.cancel(false) && !permit.isCompletedExceptionally()) {
            permit.join().close();
        }
    }

    // ---------------------------------------------------------------- I7

    private void checkIdleGroups() {
        int most = executor.policy().maxIdleGroups();
        long slack = most == 0 || rest.isExact() ? 0 : Math.max(16, most / 4);
        if (!rest.reached(() -> idleGroups() <= most + slack)) {
            findings.add("I7: " + idleGroups() + " idle groups are kept, " + most + " may be");
        }
    }

    private int idleGroups() {
        int idle = 0;
        for (String key : executor.groupKeys()) {
            if (executor.policy().groups().containsKey(key)) {
                continue;
            }
            boolean kept = executor.groupStats(key)
                    .map(group -> group.paused()
                            || group.overriddenSince().isPresent()
                            || group.rates().isPresent())
                    .orElse(false);
            if (!kept && !EngineAccess.isLeased(executor, key)) {
                idle++;
            }
        }
        return idle;
    }

    private static String describe(GroupExecutor executor) {
        StringBuilder text = new StringBuilder("shut down: ").append(executor.isShutdown());
        text.append("\n").append(executor.stats());
        executor.groupKeys().stream()
                .limit(MOST_GROUPS)
                .forEach(key -> executor.groupStats(key)
                        .ifPresent(stats -> text.append("\n").append(stats)));
        return text.toString();
    }
}
