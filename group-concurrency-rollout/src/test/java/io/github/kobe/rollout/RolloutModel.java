package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The contract, read once more: states are words, and nothing is shared with the code. */
public final class RolloutModel {

    private static final Map<String, Set<String>> TASK_EDGES = Map.of(
            "VALIDATING", Set.of("PENDING", "VALIDATION_FAILED"),
            "PENDING", Set.of("RUNNING", "CANCELLED"),
            "RUNNING", Set.of("PAUSED", "COMPLETED", "FAILED", "CANCELLED", "ROLLING_BACK"),
            "PAUSED", Set.of("RUNNING", "ROLLING_BACK", "CANCELLED"),
            "FAILED", Set.of("RUNNING", "ROLLING_BACK"),
            "COMPLETED", Set.of("ROLLING_BACK"),
            "ROLLING_BACK", Set.of("ROLLED_BACK", "ROLLBACK_FAILED"),
            "ROLLBACK_FAILED", Set.of("ROLLING_BACK"));

    private static final Map<String, Set<String>> PLAN_EDGES = Map.of(
            "CREATED", Set.of("VALIDATING"),
            "VALIDATING", Set.of("READY", "FAILED"),
            "READY", Set.of("RUNNING", "CANCELLED"),
            "RUNNING", Set.of("PAUSED", "PARTIAL_FAILED", "COMPLETED", "ROLLING_BACK"),
            "PAUSED", Set.of("RUNNING", "CANCELLED"),
            "PARTIAL_FAILED", Set.of("RUNNING", "ROLLING_BACK", "FAILED"),
            "COMPLETED", Set.of("ROLLING_BACK"),
            "ROLLING_BACK", Set.of("ROLLED_BACK", "PARTIAL_FAILED"));

    private static final List<String> STRENGTH =
            List.of("PAUSE", "RESUME", "RETRY", "CANCEL", "ROLLBACK", "CANCEL_NOW");
    private static final Set<String> OPEN = Set.of("PENDING", "RUNNING", "PAUSED", "ROLLING_BACK");

    private final List<ModelTask> tasks = new ArrayList<>();
    private final int stages;
    private final int retries;
    private String plan = "READY";
    private boolean started;
    private boolean pauseAsked;
    private boolean planRollsBack;

    private int maxFailures = Integer.MAX_VALUE;
    /** How many failures somebody has accepted, unless there were fewer since. */
    private int accepted;

    private boolean inPercent;
    private boolean rollsBackByItself;
    private List<Integer> waveOfTask = List.of();
    private int wave;
    private int bake;
    private int timeout;
    private int now;

    /** When the gate opened, if it is open. */
    private @Nullable Integer opened;

    private int expires;
    private boolean approved;
    private int checkTimeout;
    private int checkExpires;
    private boolean checked;

    private static final class ModelTask {
        private final boolean hasSnapshot;
        private String status = "PENDING";
        private @Nullable String wish;
        private boolean fromCheckpoint;
        private boolean claim;
        private int done;
        private int begun;
        private final Set<Integer> nothingToUndo = new HashSet<>();
        private boolean checkpoint;
        private int retried;

        private ModelTask(boolean hasSnapshot) {
            this.hasSnapshot = hasSnapshot;
        }

        private NavigableSet<Integer> toUndo() {
            NavigableSet<Integer> left = new TreeSet<>();
            for (int index = 0; index < begun; index++) {
                if (!nothingToUndo.contains(index)) {
                    left.add(index);
                }
            }
            return left;
        }

        private boolean isToBeCancelled() {
            return "CANCEL".equals(wish) || "CANCEL_NOW".equals(wish);
        }

        private void open() {
            begun = Math.max(begun, done + 1);
            nothingToUndo.remove(done);
        }

        private void end(String how) {
            status = how;
            wish = null;
            claim = false;
        }

        private void rollBack() {
            status = "ROLLING_BACK";
            wish = null;
            claim = true;
        }
    }

    public RolloutModel(List<Boolean> snapshots, int stages, int retries) {
        snapshots.forEach(hasSnapshot -> tasks.add(new ModelTask(hasSnapshot)));
        this.stages = stages;
        this.retries = retries;
    }

    public void maxFailures(int most, boolean isPercentage, boolean rollsBack) {
        maxFailures = most;
        inPercent = isPercentage;
        rollsBackByItself = rollsBack;
    }

    public void waves(int first, int second, int bakeMinutes, int timeoutMinutes, int checkMinutes) {
        waveOfTask = IntStream.range(0, tasks.size())
                .mapToObj(index -> index < first ? 0 : index < first + second ? 1 : 2)
                .toList();
        bake = bakeMinutes;
        timeout = timeoutMinutes;
        checkTimeout = checkMinutes;
    }

    private int waveOf(int index) {
        return waveOfTask.isEmpty() ? 0 : waveOfTask.get(index);
    }

    public void pass(int minutes) {
        now += minutes;
        derive();
    }

    public void approve(int ended) {
        refuse(opened == null || timeout == 0 || ended != wave + 1);
        approved = true;
        derive();
    }

    /** What a check has found after a wave, at a gate that was opened at some time; otherwise it is to wait. */
    public void check(int ended, int since, boolean passes, boolean stops) {
        if (opened == null || opened != since || checkTimeout == 0 || checked || ended != wave + 1 || pauseAsked) {
            return;
        }
        checked = passes;
        if (stops && rollsBackByItself) {
            rollBackAll();
        } else if (stops) {
            pauseAsked = true;
        }
        derive();
    }

    /** {@return the wave, whether it is to start nothing, and the gate} */
    public String wave() {
        return wave + (pauseAsked ? "!" : "") + (opened == null ? "" : (approved ? "=" : "?") + checked);
    }

    /** Who fails when enough have failed stops what waits. */
    private void heedFailures() {
        int failed = failures();
        accepted = Math.min(accepted, failed);
        boolean isTooMany =
                failed > accepted && 100L * failed > (inPercent ? maxFailures * size(wave) : 100L * maxFailures);
        if (isTooMany && rollsBackByItself && Set.of("RUNNING", "PAUSED").contains(plan)) {
            rollBackAll();
        } else {
            pauseAsked |= isTooMany && count("PENDING") > 0;
        }
    }

    private int failures() {
        return (int) IntStream.range(0, tasks.size())
                .filter(index -> !inPercent || waveOf(index) == wave)
                .filter(index -> Set.of("FAILED", "ROLLBACK_FAILED").contains(tasks.get(index).status))
                .count();
    }

    private long size(int ofWave) {
        return IntStream.range(0, tasks.size())
                .filter(index -> waveOf(index) == ofWave)
                .count();
    }

    private void rollBackAll() {
        for (ModelTask task : tasks) {
            try {
                rollBackWithAll(task);
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("refused");
                stop(task);
            }
        }
        planRollsBack = true;
        pauseAsked = false;
        plan = "ROLLING_BACK";
    }

    /** What only waits is cancelled, and what is cut off is too. */
    private void rollBackWithAll(ModelTask task) {
        boolean waits = task.status.equals("PENDING");
        refuse(!waits && "CANCEL_NOW".equals(task.wish));
        grant(task, waits ? "CANCEL" : "ROLLBACK", false);
    }

    private void goOn() {
        int next = IntStream.range(0, tasks.size())
                .filter(index -> tasks.get(index).status.equals("PENDING"))
                .map(this::waveOf)
                .filter(each -> each > wave)
                .min()
                .orElse(-1);
        boolean isBusy = IntStream.range(0, tasks.size())
                .filter(index -> waveOf(index) <= wave)
                .mapToObj(tasks::get)
                .anyMatch(task -> OPEN.contains(task.status) || task.wish != null);
        if (next < 0 || isBusy) {
            opened = null;
            return;
        }
        if (opened == null && bake + timeout + checkTimeout > 0) {
            opened = now;
            approved = false;
            expires = now + bake + timeout;
            checked = false;
            checkExpires = now + bake + checkTimeout;
        }
        boolean isLate = opened != null
                && ((timeout > 0 && !approved && now >= expires)
                        || (checkTimeout > 0 && !checked && now >= checkExpires));
        boolean mayGoOn = opened == null
                || (now >= opened + bake && (timeout == 0 || approved) && (checkTimeout == 0 || checked));
        if (!pauseAsked && mayGoOn) {
            wave = next;
            opened = null;
            accepted = inPercent ? 0 : accepted;
        }
        pauseAsked |= isLate;
    }

    private static void refuse(boolean condition) {
        if (condition) {
            throw new IllegalStateException("refused");
        }
    }

    public void start() {
        refuse(!plan.equals("READY"));
        plan = "RUNNING";
        started = true;
        for (ModelTask task : tasks) {
            task.claim = task.status.equals("PENDING") && task.wish == null;
        }
        derive();
    }

    public void giveUp() {
        refuse(!plan.equals("PARTIAL_FAILED"));
        plan = "FAILED";
        for (ModelTask task : tasks) {
            task.checkpoint &= !task.status.equals("FAILED");
        }
    }

    public void wish(int index, String wish, boolean fromCheckpoint) {
        grant(tasks.get(index), wish, fromCheckpoint);
        if (wish.equals("RETRY") && plan.equals("PARTIAL_FAILED")) {
            retryAfterRollback();
        }
        derive();
    }

    private void grant(ModelTask task, String wish, boolean fromCheckpoint) {
        boolean isRetried = "RETRY".equals(task.wish);
        boolean allowed = switch (wish) {
            case "PAUSE" -> task.status.equals("RUNNING") || "RESUME".equals(task.wish) || isRetried;
            case "RESUME" ->
                task.status.equals("PAUSED") || (task.status.equals("RUNNING") && "PAUSE".equals(task.wish));
            case "CANCEL", "CANCEL_NOW" ->
                isRetried || Set.of("PENDING", "RUNNING", "PAUSED").contains(task.status);
            case "ROLLBACK" ->
                task.hasSnapshot
                        && Set.of("RUNNING", "PAUSED", "FAILED", "COMPLETED", "ROLLBACK_FAILED")
                                .contains(task.status);
            default ->
                task.status.equals("FAILED")
                        && task.retried < retries
                        && !Set.of("FAILED", "CANCELLED", "ROLLED_BACK").contains(plan);
        };
        refuse(!allowed);
        if ((wish.equals("RESUME") && task.status.equals("RUNNING"))
                || (wish.equals("PAUSE") && task.status.equals("PAUSED"))) {
            task.wish = null;
        } else if (isRetried && Set.of("PAUSE", "CANCEL", "CANCEL_NOW").contains(wish)) {
            task.wish = null;
            task.claim = false;
        } else if (task.wish == null || STRENGTH.indexOf(task.wish) < STRENGTH.indexOf(wish)) {
            task.wish = wish;
            task.fromCheckpoint = fromCheckpoint;
            task.claim |= !OPEN.contains(task.status);
        }
    }

    public void wishOfPlan(String wish, boolean fromCheckpoint) {
        Set<String> from = switch (wish) {
            case "PAUSE" -> Set.of("RUNNING");
            case "RESUME" -> pauseAsked ? Set.of("PAUSED", "RUNNING") : Set.of("PAUSED");
            case "CANCEL", "CANCEL_NOW" -> Set.of("READY", "RUNNING", "PAUSED");
            case "ROLLBACK" -> Set.of("RUNNING", "PAUSED", "PARTIAL_FAILED", "COMPLETED");
            default -> Set.of("RUNNING", "PAUSED", "PARTIAL_FAILED");
        };
        refuse(!from.contains(plan));
        if (plan.equals("READY")) {
            List<ModelTask> waiting =
                    tasks.stream().filter(task -> task.status.equals("PENDING")).toList();
            refuse(waiting.isEmpty());
            waiting.forEach(task -> task.end("CANCELLED"));
            plan = "CANCELLED";
            return;
        }
        int takers = 0;
        List<ModelTask> left = new ArrayList<>();
        for (ModelTask task : tasks) {
            try {
                if (wish.equals("ROLLBACK")) {
                    rollBackWithAll(task);
                } else {
                    grant(task, wish, fromCheckpoint);
                }
                takers++;
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("refused");
                left.add(task);
            }
        }
        refuse(takers == 0 && !wish.equals("PAUSE") && !wish.equals("RESUME"));
        switch (wish) {
            case "PAUSE", "CANCEL", "CANCEL_NOW" -> pauseAsked = true;
            case "RESUME" -> {
                pauseAsked = false;
                accepted = failures();
                int renewed = Math.max(now, opened == null ? 0 : opened + bake);
                expires = renewed + timeout;
                checkExpires = renewed + checkTimeout;
            }
            case "ROLLBACK" -> {
                left.forEach(this::stop);
                planRollsBack = true;
                pauseAsked = false;
                plan = "ROLLING_BACK";
            }
            default -> {
                if (plan.equals("PARTIAL_FAILED")) {
                    retryAfterRollback();
                }
            }
        }
        derive();
    }

    public void rollBackFailed() {
        refuse(!Set.of("RUNNING", "PAUSED", "PARTIAL_FAILED").contains(plan));
        int takers = 0;
        for (ModelTask task : tasks) {
            if (task.hasSnapshot && Set.of("FAILED", "ROLLBACK_FAILED").contains(task.status)) {
                grant(task, "ROLLBACK", false);
                takers++;
            }
        }
        refuse(takers == 0);
        derive();
    }

    public void add(boolean hasSnapshot) {
        refuse(!Set.of("READY", "RUNNING", "PAUSED").contains(plan));
        if (!waveOfTask.isEmpty()) {
            List<Integer> more = new ArrayList<>(waveOfTask);
            more.add(waveOfTask.getLast());
            waveOfTask = more;
        }
        ModelTask task = new ModelTask(hasSnapshot);
        task.claim = started;
        tasks.add(task);
        derive();
    }

    /** Only what fails from now on counts. */
    private void retryAfterRollback() {
        planRollsBack = false;
        accepted = failures();
    }

    /** What a plan's rollback can't take back goes no further. */
    private void stop(ModelTask task) {
        if (Set.of("RUNNING", "PAUSED").contains(task.status) || "RETRY".equals(task.wish)) {
            grant(task, "CANCEL", false);
        }
    }

    public boolean hasThread(int index) {
        return Set.of("RUNNING", "ROLLING_BACK").contains(tasks.get(index).status);
    }

    /** Whatever rests is begun anew. */
    public boolean isBeginning(int index) {
        return !hasThread(index);
    }

    public void begin(int index) {
        ModelTask task = tasks.get(index);
        if (task.status.equals("PENDING")) {
            if (task.isToBeCancelled()) {
                task.end("CANCELLED");
            } else if (started && !pauseAsked && !planRollsBack && task.claim && waveOf(index) <= wave) {
                task.status = "RUNNING";
                task.open();
            }
        } else if (task.wish != null) {
            switch (task.wish) {
                case "CANCEL", "CANCEL_NOW" -> task.end("CANCELLED");
                case "ROLLBACK" -> task.rollBack();
                case "RESUME" -> {
                    task.status = "RUNNING";
                    task.wish = null;
                    task.open();
                }
                default -> retry(task);
            }
        }
        derive();
    }

    private void retry(ModelTask task) {
        task.retried++;
        if (!task.fromCheckpoint || !task.checkpoint) {
            task.done = 0;
            task.checkpoint = false;
        }
        task.status = "RUNNING";
        task.wish = null;
        task.open();
    }

    public void pass(int index, int outcome) {
        ModelTask task = tasks.get(index);
        if (task.status.equals("RUNNING")) {
            forward(task, outcome);
        } else {
            back(task, outcome);
        }
        derive();
    }

    private void forward(ModelTask task, int outcome) {
        String wish = task.wish;
        if (outcome == 0 && "CANCEL_NOW".equals(wish)) {
            task.end("CANCELLED");
            return;
        }
        boolean cancel = task.isToBeCancelled();
        if (outcome == 0) {
            task.end("FAILED");
            task.checkpoint &= task.retried < retries;
            if ("ROLLBACK".equals(wish)) {
                task.rollBack();
            }
            return;
        }
        if (outcome == 1) {
            task.nothingToUndo.add(task.done);
        } else {
            task.nothingToUndo.remove(task.done);
        }
        task.done++;
        task.checkpoint = true;
        if ("ROLLBACK".equals(wish)) {
            task.rollBack();
        } else if (task.done == stages) {
            task.end("COMPLETED");
        } else if (cancel) {
            task.end("CANCELLED");
        } else if ("PAUSE".equals(wish)) {
            task.status = "PAUSED";
            task.wish = null;
        } else {
            task.open();
        }
    }

    private void back(ModelTask task, int outcome) {
        NavigableSet<Integer> left = task.toUndo();
        if (left.isEmpty() || outcome == 3) {
            boolean unhealthy = outcome == 0;
            task.end(unhealthy || !left.isEmpty() ? "ROLLBACK_FAILED" : "ROLLED_BACK");
        } else if (outcome != 0) {
            task.nothingToUndo.add(left.last());
        }
    }

    private void derive() {
        if (Set.of("READY", "COMPLETED", "FAILED", "CANCELLED", "ROLLED_BACK").contains(plan)) {
            return;
        }
        if (!planRollsBack) {
            heedFailures();
        }
        if (planRollsBack) {
            opened = null;
        } else {
            goOn();
        }
        long open = tasks.stream()
                .filter(task -> OPEN.contains(task.status) || task.wish != null)
                .count();
        if (planRollsBack) {
            boolean isComplete = tasks.stream()
                    .allMatch(task ->
                            task.status.equals("ROLLED_BACK") || (task.status.equals("CANCELLED") && task.begun == 0));
            plan = open > 0 ? "ROLLING_BACK" : isComplete ? "ROLLED_BACK" : "PARTIAL_FAILED";
        } else if (open > 0) {
            plan = pauseAsked && count("RUNNING") == 0 ? "PAUSED" : "RUNNING";
        } else {
            plan = count("COMPLETED") == tasks.size()
                    ? "COMPLETED"
                    : count("CANCELLED") == tasks.size()
                            ? "CANCELLED"
                            : count("ROLLED_BACK") + count("CANCELLED") == tasks.size()
                                    ? "ROLLED_BACK"
                                    : "PARTIAL_FAILED";
            pauseAsked = false;
        }
    }

    private int count(String status) {
        return Collections.frequency(statuses(), status);
    }

    public List<String> statuses() {
        return tasks.stream().map(task -> task.status).toList();
    }

    public String planStatus() {
        return plan;
    }

    public int stagesDone(int index) {
        return tasks.get(index).done;
    }

    public boolean hasClaim(int index) {
        return tasks.get(index).claim;
    }

    public static void checkEdges(boolean isPlan, List<String> states) {
        Map<String, Set<String>> edges = isPlan ? PLAN_EDGES : TASK_EDGES;
        for (int index = 1; index < states.size(); index++) {
            String from = states.get(index - 1);
            String to = states.get(index);
            if (!from.equals(to)) {
                assertThat(edges.getOrDefault(from, Set.of()))
                        .as("after %s", from)
                        .contains(to);
            }
        }
    }
}
