package io.github.kobe.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Executors of one JVM that share limits, as applications use them: with threads and clocks of their own, at any store. */
public abstract class SharingExecutors {

    /** A group whose limit they share. */
    protected static final String KEY = "tenant:a";

    /** How many of it may be in flight in all of them. */
    protected static final int LIMIT = 3;

    private final List<GroupExecutor> executors = new ArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    /** {@return how one more shares} */
    protected abstract ClusterSettings settings();

    /** All executors have been closed. */
    protected abstract void closeStores();

    @AfterEach
    final void close() throws Exception {
        for (GroupExecutor executor : executors) {
            Deadline.within(() -> {
                executor.close();
                return true;
            });
        }
        closeStores();
    }

    /** {@return one more that shares, which is closed after the test} */
    protected final GroupExecutor join() {
        return join(settings());
    }

    /** {@return one more that shares in this way} */
    protected final GroupExecutor join(ClusterSettings settings) {
        return join(
                GroupPolicy.builder()
                        .pattern("tenant:*", GroupLimits.unset().withClusterMaxInFlight(LIMIT))
                        .build(),
                settings);
    }

    /** {@return one more, with limits of its own} */
    protected final GroupExecutor join(GroupPolicy policy, ClusterSettings settings) {
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy, settings);
        executors.add(executor);
        return executor;
    }

    /** Work that is counted while it runs. */
    protected final String work() {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            Thread.onSpinWait();
            return "done";
        } finally {
            running.decrementAndGet();
        }
    }

    /** {@return how much of it has run at once, at most} */
    protected final int most() {
        return most.get();
    }

    /** Waits until all have returned what {@link #work} does. */
    protected static void awaitAll(List<TaskHandle<String>> handles) throws Exception {
        for (TaskHandle<String> handle : handles) {
            assertThat(Deadline.within(handle::await).value()).isEqualTo("done");
        }
    }

    @Test
    @Tag("CL10")
    void allTogetherRunNoMoreThanTheLimit() throws Exception {
        List<GroupExecutor> all = List.of(join(), join(), join());
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            for (GroupExecutor executor : all) {
                handles.add(executor.submit(KEY, this::work));
            }
        }

        awaitAll(handles);
        assertThat(most()).isBetween(1, LIMIT);
    }
}
