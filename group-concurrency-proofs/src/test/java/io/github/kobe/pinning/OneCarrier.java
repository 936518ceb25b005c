package io.github.kobe.pinning;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.faults.Site;
import io.github.kobe.faults.Ways;
import io.github.kobe.testing.Caller;
import java.util.concurrent.TimeUnit;

/**
 * Takes all {@link Ways}, on virtual threads; for a JVM with one carrier. What each waits for is done by another virtual
 * thread, so a wait that kept its carrier would never end.
 */
final class OneCarrier {

    private static final GroupPolicy POLICY = Ways.policy().globalMaxInFlight(2).build();

    private OneCarrier() {}

    /** {@code pinned}: waits where a thread can't leave its carrier; else everywhere it can. */
    public static void main(String... args) throws Exception {
        boolean pinned = args.length > 0 && args[0].equals("pinned");
        Caller.start(() -> {
                    if (pinned) {
                        waitPinned();
                    } else {
                        waitEverywhere();
                    }
                    return null;
                })
                .result();
        System.out.println("waited");
    }

    /** Takes all ways; a use has to end well. */
    private static void waitEverywhere() throws Exception {
        for (Ways way : Ways.values()) {
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(POLICY)) {
                Site site = new Site(executor);
                way.take(site);
                for (Caller<?> caller : site.end()) {
                    require(!way.is(Ways.Trait.WAITS) || !Boolean.FALSE.equals(caller.result()));
                }
            }
        }
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("a wait ended in another way");
        }
    }

    private static void waitPinned() throws Exception {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(POLICY);
                GroupPermit taken =
                        executor.acquireAsync("a").toCompletableFuture().get()) {
            Pinned.handle = executor.submit(taken.groupKey(), "t", () -> 1);
            require(Pinning.STATUS == TaskStatus.CANCELLED);
        }
    }

    private static final class Pinned {
        private static TaskHandle<Integer> handle;
    }

    /** Waits while it is initialized: the JVM's own frame keeps the thread on its carrier. */
    private static final class Pinning {
        private static final TaskStatus STATUS =
                Pinned.handle.join(20, TimeUnit.MILLISECONDS).status();
    }
}
