package io.github.kobe.spring.test;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTotals;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on one group of an executor. For one thread; made by {@link GroupExecutorAssert#group}. All methods return
 * this, and throw an {@link AssertionError} that tells what the group is doing, and who has its permits.
 *
 * @since 0.1.0
 */
public final class GroupAssert extends AbstractAssert<GroupAssert, GroupExecutor> {

    private final String key;

    GroupAssert(GroupExecutor actual, String key) {
        super(actual, GroupAssert.class);
        this.key = key;
    }

    /**
     * Checks that nothing of the group runs, is in flight or waits.
     *
     * @return this
     */
    public GroupAssert isQuiet() {
        Occupancy now = Occupancy.of(actual, key);
        if (!now.isEmpty()) {
            failWithMessage("Expected group '%s' to be quiet, but%n%s", key, now);
        }
        return this;
    }

    /**
     * Checks that nobody has a permit of the group.
     *
     * @return this
     */
    public GroupAssert hasNoPermitsOut() {
        Occupancy now = Occupancy.of(actual, key).withPermitsOut();
        if (!now.isEmpty()) {
            failWithMessage("Expected no permits of group '%s' to be out, but%n%s", key, now);
        }
        return this;
    }

    /**
     * Checks how many tasks and calls of the group run: their code is on a thread, and their permits aren't lent.
     *
     * @param expected how many, from 0 up
     * @return this
     */
    public GroupAssert hasRunning(int expected) {
        return hasNow("running", GroupStats::running, expected);
    }

    /**
     * Checks how many tasks and calls of the group are in flight: started and not finished.
     *
     * @param expected how many, from 0 up
     * @return this
     */
    public GroupAssert hasInFlight(int expected) {
        return hasNow("in flight", GroupStats::inFlight, expected);
    }

    /**
     * Checks how many tasks and calls wait in the group's queue.
     *
     * @param expected how many, from 0 up
     * @return this
     */
    public GroupAssert hasQueued(int expected) {
        return hasNow("waiting", GroupStats::queued, expected);
    }

    /**
     * Checks that the group starts nothing, until it is resumed.
     *
     * @return this
     */
    public GroupAssert isPaused() {
        if (stats().filter(GroupStats::paused).isEmpty()) {
            failWithMessage("Expected group '%s' to be paused, but it isn't", key);
        }
        return this;
    }

    /**
     * Checks the limit that is in force, wherever it comes from.
     *
     * @param expected how many may run at once, from 1 up
     * @return this
     */
    public GroupAssert hasMaxConcurrency(int expected) {
        Optional<GroupStats> stats = stats();
        if (stats.isEmpty()) {
            failWithMessage("Expected group '%s' to have a limit of %d, but it was never used", key, expected);
        }
        int found = stats.orElseThrow().maxConcurrency().value();
        if (found != expected) {
            failWithMessage(
                    "Expected group '%s' to have a limit of %d, but it is %s",
                    key, expected, stats.orElseThrow().maxConcurrency());
        }
        return this;
    }

    /**
     * Checks how many tasks and calls requested admission to the group since it was first used or evicted. This shows a
     * test whether a call passed a limit at all.
     *
     * @param expected how many, from 0 up
     * @return this
     */
    public GroupAssert hasSubmitted(long expected) {
        return hasCounted("submitted", TaskTotals::submitted, expected);
    }

    /**
     * Checks how many tasks and calls of the group have succeeded since it was first used or evicted.
     *
     * @param expected how many, from 0 up
     * @return this
     */
    public GroupAssert hasSucceeded(long expected) {
        return hasCounted("succeeded", TaskTotals::succeeded, expected);
    }

    /**
     * Checks how many tasks and calls of the group were rejected for one reason since it was first used or evicted.
     *
     * @param reason the reason
     * @param expected how many, from 0 up
     * @return this
     */
    public GroupAssert hasRejected(RejectionReason reason, long expected) {
        Objects.requireNonNull(reason, "reason");
        return hasCounted(
                "rejected as " + reason, totals -> totals.rejectedByReason().getOrDefault(reason, 0L), expected);
    }

    private Optional<GroupStats> stats() {
        return actual.groupStats(key);
    }

    private GroupAssert hasNow(String what, ToIntFunction<GroupStats> count, int expected) {
        int found = stats().map(count::applyAsInt).orElse(0);
        if (found != expected) {
            Occupancy now = Occupancy.of(actual, key);
            failWithMessage("Expected group '%s' to have %d %s, but it has %d%n%s", key, expected, what, found, now);
        }
        return this;
    }

    private GroupAssert hasCounted(String what, ToLongFunction<TaskTotals> count, long expected) {
        long found = stats().map(stats -> count.applyAsLong(stats.totals())).orElse(0L);
        if (found != expected) {
            failWithMessage(
                    "Expected group '%s' to have %d %s, but it has %d; in all: %s",
                    key,
                    expected,
                    what,
                    found,
                    stats().map(stats -> stats.totals().toString()).orElse("never used"));
        }
        return this;
    }
}
