package io.github.kobe.schedules;

import io.github.kobe.EngineAccess;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupStats;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Audit;
import io.github.kobe.audit.Witness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * The {@link Audit} of a {@link Simulation}, exact where that one has to poll: once nobody can run, everything that will
 * happen has happened. I1, I2 and I5 by what the {@link Witness} found, I3 by filling, I4 by what waits, I6 by adding up,
 * I7 by the groups that are known.
 */
final class Rest {

    private static final int MOST_PERMITS = 20;

    private final Simulation simulation;
    private final GroupExecutor executor;
    private final Witness witness;

    Rest(Simulation simulation, GroupExecutor executor, Witness witness) {
        this.simulation = simulation;
        this.executor = executor;
        this.witness = witness;
    }

    /** I4, with anything going on but nobody able to run: nothing waits that has room. */
    void checkNoLostWakeUp() {
        GroupExecutorStats all = executor.stats();
        for (String key : executor.groupKeys()) {
            GroupStats group = executor.groupStats(key).orElseThrow();
            if (group.queued() > 0
                    && !group.paused()
                    && group.running() < group.maxConcurrency().value()
                    && group.inFlight() < group.maxInFlight().value()
                    && all.inFlight() < all.globalMaxInFlight()) {
                find("I4: nobody can run, but what waits has room: " + group + ", " + all);
            }
        }
    }

    /** Everything, once all has ended; on a simulated thread. */
    void check() {
        checkEmpty("at the end");
        checkTotals();
        witness.settle();
        if (!executor.isShutdown()) {
            new TreeSet<>(executor.groupKeys()).forEach(this::fill);
            fillGlobally();
            checkEmpty("after the audit's filling");
            checkIdleGroups();
            executor.shutdown();
            simulation.settle();
        }
        if (!executor.isTerminated()) {
            find("I3: shut down and empty, but not terminated");
        }
        EngineAccess.open(executor).forEach(open -> find("I3: " + open));
        witness.checkHandles();
        witness.findings().forEach(this::find);
        witness.findingsAtRest().forEach(this::find);
    }

    private void checkEmpty(String when) {
        GroupExecutorStats all = executor.stats();
        if (all.running() != 0 || all.inFlight() != 0 || all.queued() != 0) {
            find("I3/I4: " + when + " it isn't quiet: " + all);
        }
        EngineAccess.busyGroups(executor).forEach(group -> find("I3: " + when + " " + group));
    }

    private void checkTotals() {
        TaskTotals totals = executor.stats().totals();
        String said = Witness.describe(
                totals.submitted(),
                totals.succeeded(),
                totals.failed(),
                totals.cancelled(),
                Map.copyOf(totals.rejectedByReason()));
        if (totals.submitted() != totals.succeeded() + totals.failed() + totals.cancelled() + totals.rejected()) {
            find("I6: the totals don't add up: " + said);
        }
        String heard = witness.heard();
        if (heard != null && !heard.equals(said)) {
            find("I2: the listener heard " + heard + "; the totals say " + said);
        }
    }

    // ---------------------------------------------------------------- I3

    private void fill(String key) {
        if (executor.groupStats(key).map(GroupStats::paused).orElse(false)) {
            find("the scenario left group '" + key + "' paused");
            return;
        }
        List<CompletableFuture<GroupPermit>> taken = new ArrayList<>();
        takeOne(key, "first permit of group '" + key + "'", taken);
        GroupStats limits = executor.groupStats(key).orElseThrow();
        int global = executor.policy().globalMaxInFlight();
        int flights = Math.min(limits.maxInFlight().value(), global);
        int most = Math.min(limits.maxConcurrency().value(), flights);
        for (int i = 1; i < Math.min(most, MOST_PERMITS); i++) {
            takeOne(key, "permit " + (i + 1) + " of " + most + " of group '" + key + "'", taken);
        }
        if (most <= MOST_PERMITS) {
            takeOneTooMany(key, "beyond " + most + " of group '" + key + "'", taken);
        }
        closeAll(taken);
        if (flights > most && flights <= MOST_PERMITS) {
            fillFlight(key, flights);
        }
    }

    /** Fills the flight layer with open stages, where it is wider than the concurrency. */
    private void fillFlight(String key, int most) {
        List<CompletableFuture<String>> stages = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            CompletableFuture<String> stage = new CompletableFuture<>();
            CompletableFuture<String> began = new CompletableFuture<>();
            executor.submitAsync(key, "audit", witness.async(key, () -> {
                began.complete("began");
                return stage;
            }));
            stages.add(stage);
            simulation.settle();
            if (!began.isDone()) {
                find("I3: open stage " + (i + 1) + " of " + most + " of group '" + key + "' never began");
            }
        }
        List<CompletableFuture<GroupPermit>> taken = new ArrayList<>();
        CompletableFuture<GroupPermit> extra = acquire(key);
        taken.add(extra);
        if (extra.isDone() && !extra.isCompletedExceptionally()) {
            find("I3: a permit beyond " + most + " open stages of group '" + key + "' was to be had");
        }
        stages.forEach(stage -> stage.complete("done"));
        closeAll(taken);
    }

    private void fillGlobally() {
        int most = executor.policy().globalMaxInFlight();
        if (most <= MOST_PERMITS) {
            List<CompletableFuture<GroupPermit>> taken = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                takeOne("audit-" + i, "permit " + (i + 1) + " of " + most + " over all groups", taken);
            }
            takeOneTooMany("audit-" + most, "beyond " + most + " over all groups", taken);
            closeAll(taken);
        }
    }

    private CompletableFuture<GroupPermit> acquire(String key) {
        return executor.acquireAsync(key).toCompletableFuture();
    }

    private void takeOne(String key, String which, List<CompletableFuture<GroupPermit>> taken) {
        CompletableFuture<GroupPermit> permit = acquire(key);
        taken.add(permit);
        if (!permit.isDone() || permit.isCompletedExceptionally()) {
            find("I3: " + which + " was not to be had: " + permit + ", " + executor.groupStats(key));
        }
    }

    private void takeOneTooMany(String key, String which, List<CompletableFuture<GroupPermit>> taken) {
        CompletableFuture<GroupPermit> extra = acquire(key);
        if (extra.isDone() && !extra.isCompletedExceptionally()) {
            find("I3: a permit " + which + " was to be had");
        }
        close(taken.removeFirst());
        simulation.settle();
        if (!extra.isDone()) {
            find("I4: a permit came free, but who waited " + which + " never got it");
        }
        taken.add(extra);
    }

    private void closeAll(List<CompletableFuture<GroupPermit>> taken) {
        taken.forEach(Rest::close);
        simulation.settle();
    }

    private static void close(CompletableFuture<GroupPermit> permit) {
        if (!permit.cancel(false) && !permit.isCompletedExceptionally()) {
            permit.join().close();
        }
    }

    // ---------------------------------------------------------------- I7

    private void checkIdleGroups() {
        int most = executor.policy().maxIdleGroups();
        long idle = executor.groupKeys().stream()
                .filter(key -> !executor.policy().groups().containsKey(key))
                .filter(key -> executor.groupStats(key)
                        .map(group -> group.overriddenSince().isEmpty())
                        .orElse(false))
                .count();
        if (idle > most) {
            find("I7: " + idle + " idle groups are kept, " + most + " may be");
        }
    }

    private void find(String finding) {
        simulation.fail(finding, null);
    }
}
