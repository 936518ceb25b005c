package io.github.kobe.stress;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What a sample of a test has: an executor of its own, so that no other sample orders its memory, and a plain field.
 *
 * <p>The groups are named in the policy. So the engine keeps them when they are idle, without a lock that would order
 * more than the test asks about, and needs no thread of its own.
 */
abstract class Sample {

    /** The group that most samples are about, of one permit. */
    static final String GROUP = "group";

    /** No global limit: taking and giving back is a compare-and-set while nothing waits. */
    static final GroupPolicy FAST = GroupPolicy.builder()
            .group(GROUP, GroupLimits.unset().withMaxConcurrency(1).withMaxInFlight(Integer.MAX_VALUE))
            .build();

    /** Two at once. */
    static final GroupPolicy PAIR = GroupPolicy.builder()
            .group(GROUP, GroupLimits.unset().withMaxConcurrency(2).withMaxInFlight(Integer.MAX_VALUE))
            .build();

    /** The group would let in two, the global limit lets in one: the ledger's lock and its ring decide. */
    static final GroupPolicy RING = GroupPolicy.builder()
            .group(GROUP, GroupLimits.unset().withMaxConcurrency(2).withMaxInFlight(Integer.MAX_VALUE))
            .globalMaxInFlight(1)
            .build();

    /** One asynchronous task at a time. */
    static final GroupPolicy ONE_IN_FLIGHT = GroupPolicy.builder()
            .group(GROUP, GroupLimits.unset().withMaxConcurrency(2).withMaxInFlight(1))
            .build();

    final GroupExecutor executor;

    /** Plain on purpose: only what the engine orders is seen. */
    int plain;

    Sample(GroupPolicy policy) {
        executor = GroupExecutor.newVirtualThreadExecutor(policy);
    }

    /** Takes a permit of a group that has one; it belongs to no thread. */
    final GroupPermit take(String group) {
        return tryTake(group).orElseThrow();
    }

    /**
     * Takes a permit if there is one now. It belongs to no thread: jcstress makes samples and looks at them on the very
     * threads that act, which would be inside the group by a permit of their own.
     */
    final Optional<GroupPermit> tryTake(String group) {
        CompletableFuture<GroupPermit> permit = executor.acquireAsync(group).toCompletableFuture();
        return permit.isDone() || !permit.cancel(false) ? Optional.of(permit.join()) : Optional.empty();
    }

    /** Takes a permit for the current thread, if there is one now; never in the queue, so nothing is granted later. */
    final Optional<GroupPermit> tryEnter(String group) {
        return uninterrupted(() -> executor.tryAcquire(group, Duration.ZERO));
    }

    /** Leaves the group fast: it is slow until its first use. */
    final void makeFast() {
        take(GROUP).close();
    }

    // ---- the ways into the group; each goes in, counts the plain field up, and goes out

    final int call() {
        return uninterrupted(() -> executor.call(GROUP, this::increment));
    }

    final int acquire() {
        return uninterrupted(() -> countUnder(executor.acquire(GROUP)));
    }

    /** 0 if it isn't let in. */
    final int tryAcquire() {
        return tryEnter(GROUP).map(this::countUnder).orElse(0);
    }

    final int acquireAsync() {
        CompletionStage<GroupPermit> permit = executor.acquireAsync(GROUP);
        return permit.thenApply(this::countUnder).toCompletableFuture().join();
    }

    final int submit() {
        return value(executor.submit(GROUP, "task", this::increment).join().value());
    }

    final int submitAsync() {
        return value(executor.submitAsync(GROUP, "task", () -> CompletableFuture.completedFuture(increment()))
                .join()
                .value());
    }

    private int countUnder(GroupPermit permit) {
        try (permit) {
            return increment();
        }
    }

    private int increment() {
        return ++plain;
    }

    private static int value(@Nullable Integer value) {
        return value == null ? -1 : value;
    }

    /** Nobody interrupts jcstress's threads. */
    static <T> T uninterrupted(Callable<T> work) {
        try {
            return work.call();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }
}
