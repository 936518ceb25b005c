package io.github.kobe.rollout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A part of a task: a name, and steps in order. It passes as a whole, or the first step that fails ends it and fails
 * the task, unless it is {@linkplain #retry retried}. A task is paused, cancelled and rolled back between stages; only
 * {@link Rollouts#cancelNow} interrupts a step or a condition.
 *
 * <pre>{@code
 * Stage.named("Drain")
 *         .step(ctx -> balancer.drain(ctx.tenantId(), ctx.idempotencyKey()))
 *         .rollback(ctx -> balancer.undrain(ctx.tenantId()))
 *         .timeout(Duration.ofSeconds(30))
 * }</pre>
 *
 * <p>Immutable: each method returns a changed copy. Steps run on virtual threads; on one node, those of one tenant never
 * run at the same time. A node that can't reach the database for some seconds interrupts its steps, since another one may
 * then begin the stage: a step that goes on in spite of that may run beside the other node's.
 *
 * @since 0.1.0
 */
public final class Stage {

    private static final int LONGEST_NAME = 100;
    private static final int MOST_RETRIES = 100;
    private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(5);
    private static final Duration LONGEST_TOLD = Duration.ofHours(1);
    private static final int DEEPEST_CAUSE = 20;

    private final String name;
    private final List<Step> steps;
    private final List<Step> rollback;
    private final Predicate<? super StageContext> skip;
    private final @Nullable Duration timeout;
    private final boolean confirms;
    private final int retries;
    private final Duration backoff;

    private Stage(
            String name,
            List<Step> steps,
            List<Step> rollback,
            Predicate<? super StageContext> skip,
            @Nullable Duration timeout,
            boolean confirms,
            int retries,
            Duration backoff) {
        this.name = name;
        this.steps = steps;
        this.rollback = rollback;
        this.skip = skip;
        this.timeout = timeout;
        this.confirms = confirms;
        this.retries = retries;
        this.backoff = backoff;
    }

    /**
     * Makes a stage without steps.
     *
     * @param name 1 to 100 characters, not all blank, and unique among the stages of a task
     * @return the stage
     * @throws IllegalArgumentException if the name is blank or too long
     */
    public static Stage named(String name) {
        if (name.isBlank() || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException(
                    "the name of a stage is '" + name + "'; it must be 1 to " + LONGEST_NAME + " characters");
        }
        return new Stage(name, List.of(), List.of(), context -> false, null, false, 0, Duration.ZERO);
    }

    /**
     * Adds a step after the present ones.
     *
     * @param step what to do
     * @return a changed copy of this stage
     */
    public Stage step(Step step) {
        return new Stage(name, more(steps, step), rollback, skip, timeout, confirms, retries, backoff);
    }

    /**
     * Adds an action that rolls the stage back, after those added before. A stage without such actions has nothing to
     * roll back.
     *
     * @param step what to do
     * @return a changed copy of this stage
     */
    public Stage rollback(Step step) {
        return new Stage(name, steps, more(rollback, step), skip, timeout, confirms, retries, backoff);
    }

    /**
     * Sets the condition under which there is nothing to do: the stage is then recorded as skipped, and not rolled back. If
     * the stage may have begun before, as in an earlier run or on another node that had the plan, it is recorded as completed,
     * and is rolled back with the others, which has to bear that nothing was done; this doesn't
     * {@linkplain #confirmsHealth() confirm} anything.
     *
     * @param condition called just before the steps
     * @return a changed copy of this stage
     */
    public Stage skipIf(Predicate<? super StageContext> condition) {
        return new Stage(
                name,
                steps,
                rollback,
                Objects.requireNonNull(condition, "condition"),
                timeout,
                confirms,
                retries,
                backoff);
    }

    /**
     * Sets how long the condition and the steps may take together; the same time applies to the rollback's steps. When it is
     * up, their thread is interrupted and the stage fails.
     *
     * @param time more than zero
     * @return a changed copy of this stage
     * @throws IllegalArgumentException if the time isn't more than zero
     */
    public Stage timeout(Duration time) {
        if (!time.isPositive()) {
            throw new IllegalArgumentException("timeout is " + time + "; it must be more than zero");
        }
        return new Stage(name, steps, rollback, skip, time, confirms, retries, backoff);
    }

    /** {@return a copy of this stage which, if it passes, confirms that the tenant is healthy with what it has now} */
    public Stage confirmsHealth() {
        return new Stage(name, steps, rollback, skip, timeout, true, retries, backoff);
    }

    /**
     * Has the stage run again if it fails; the same holds for its rollback. Only after the last failure does the task fail.
     *
     * <p>It runs again in the same attempt of the task, with the same {@linkplain StageContext#idempotencyKey() idempotency
     * keys} and the same {@linkplain StageContext#fencingToken() fencing token}: a request that failed here may have reached
     * its server, which then knows it again. All steps run again, the time-out begins anew, and what the failed run has put
     * into {@link StageContext#data()} is lost. An {@link Error} is not retried.
     *
     * <p>The first wait is the back-off, and each further one is twice as long, up to 5 minutes. If the failure, or a cause
     * of it, is a {@link RetryAfterException}, the wait is at least as long as that says, up to an hour. A task that waits
     * keeps its tenant and its turn in the plan. A request to pause, cancel or roll back ends the wait at once and takes
     * effect, since nothing runs. If the node is lost or stops, the next one begins the stage at once, and retries it as
     * often as if it had not failed before.
     *
     * @param times how often it runs again, from 0 to 100
     * @param firstWait the first wait, more than zero, up to 5 minutes
     * @return a changed copy of this stage
     * @throws IllegalArgumentException if a value is out of its range
     */
    public Stage retry(int times, Duration firstWait) {
        if (times < 0 || times > MOST_RETRIES) {
            throw new IllegalArgumentException("times is " + times + "; it must be from 0 to " + MOST_RETRIES);
        }
        if (!firstWait.isPositive() || firstWait.compareTo(LONGEST_BACKOFF) > 0) {
            throw new IllegalArgumentException(
                    "firstWait is " + firstWait + "; it must be more than zero, up to " + LONGEST_BACKOFF);
        }
        return new Stage(name, steps, rollback, skip, timeout, confirms, times, firstWait);
    }

    /** {@return the name} */
    public String name() {
        return name;
    }

    /** {@return how long its condition and its steps may take together, if that is limited} */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(timeout);
    }

    /** {@return how often it runs again if it fails} */
    public int retries() {
        return retries;
    }

    /**
     * {@return how long to wait before it runs again}
     *
     * @param retry the number of the retry, from 1
     * @param failure why it has failed
     */
    public Duration waitBefore(int retry, Throwable failure) {
        Duration wait = backoff;
        for (int doubled = 1; doubled < retry && wait.compareTo(LONGEST_BACKOFF) < 0; doubled++) {
            wait = wait.multipliedBy(2);
        }
        Duration ours = wait.compareTo(LONGEST_BACKOFF) < 0 ? wait : LONGEST_BACKOFF;
        Duration theirs = told(failure);
        return theirs.compareTo(ours) > 0 ? theirs : ours;
    }

    /** {@return what a failure, or a cause of it, says itself} */
    private static Duration told(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            if (cause instanceof RetryAfterException later) {
                return later.retryAfter().compareTo(LONGEST_TOLD) < 0 ? later.retryAfter() : LONGEST_TOLD;
            }
            cause = cause.getCause();
        }
        return Duration.ZERO;
    }

    /** {@return whether the tenant is healthy once it has passed} */
    public boolean isConfirming() {
        return confirms;
    }

    /**
     * {@return whether it has nothing to do}
     *
     * @param context of the task
     */
    public boolean canSkip(StageContext context) {
        return skip.test(context);
    }

    /** {@return its steps, in order} */
    public List<Step> steps() {
        return steps;
    }

    /** {@return the steps of its rollback, in order} */
    public List<Step> rollbackSteps() {
        return rollback;
    }

    private static List<Step> more(List<Step> steps, Step step) {
        List<Step> more = new ArrayList<>(steps);
        more.add(Objects.requireNonNull(step, "step"));
        return List.copyOf(more);
    }

    @Override
    public String toString() {
        return "Stage[" + name + "]";
    }
}
