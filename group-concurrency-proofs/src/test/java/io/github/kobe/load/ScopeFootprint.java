package io.github.kobe.load;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.scope.ForkOptions;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.RetryPolicy;
import io.github.kobe.scope.ScopeSettings;
import io.github.kobe.scope.Scopes;
import java.time.Duration;

/**
 * Prints by how many bytes the heap grows while so many scopes are opened and closed ({@code scopes}), or while one scope
 * forks so many tasks that end ({@code forks}).
 */
final class ScopeFootprint {

    /** So many come first: what is kept for a bounded number isn't each one's. */
    private static final int WARM_UP = 20_000;

    private static final ForkOptions LATER =
            ForkOptions.in("b").withStartAfter(Duration.ofDays(1)).withTimeout(Duration.ofDays(1));

    private final Scopes scopes;

    private ScopeFootprint(GroupExecutor executor) {
        scopes = Scopes.of(executor).withDefaults(settings -> settings.withGroup("a"));
    }

    @SuppressWarnings("SystemOut") // it is a command
    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[1]);
        GroupPolicy policy =
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(4).build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            ScopeFootprint footprint = new ScopeFootprint(executor);
            System.out.println(args[0].equals("scopes") ? footprint.ofScopes(count) : footprint.ofForks(count));
        }
    }

    private long ofScopes(int count) throws InterruptedException {
        openAndClose(WARM_UP);
        long before = usedHeap();
        openAndClose(count);
        return usedHeap() - before;
    }

    private void openAndClose(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            int kind = i % 8;
            try (var scope = scopes.open(Joiner.supervise())) {
                scope.fork(() -> kind == 0 ? inner() : kind);
                if (kind == 1) {
                    scope.fork(LATER, () -> "never");
                    scope.schedule("b", Duration.ofDays(1), () -> {});
                    scope.defer(() -> {});
                    scope.cancel();
                }
                scope.join();
            }
        }
    }

    private Object inner() throws InterruptedException {
        try (var inner = scopes.open(Joiner.<Object>supervise())) {
            inner.fork("b", () -> "done");
            return inner.join();
        }
    }

    /** As a server does that takes in work without an end. */
    private long ofForks(int count) throws InterruptedException {
        RetryPolicy retry = RetryPolicy.attempts(2);
        try (var scope =
                scopes.open(Joiner.awaitAll(), settings -> bounded(settings).withRetry(retry))) {
            for (int i = 0; i < WARM_UP; i++) {
                scope.fork(ScopeFootprint::request);
            }
            long before = usedHeap();
            for (int i = 0; i < count; i++) {
                scope.fork(ScopeFootprint::request);
            }
            while (scope.snapshot().unfinished() > 0) {
                Thread.onSpinWait();
            }
            long after = usedHeap();
            scope.join();
            return after - before;
        }
    }

    private static ScopeSettings bounded(ScopeSettings settings) {
        return settings.withoutTimeout().withMaxUnfinished(1_000);
    }

    private static Object request() {
        if (Thread.currentThread().threadId() % 16 == 0) {
            throw new IllegalStateException("failed");
        }
        return "done";
    }

    private static long usedHeap() {
        return MemoryFootprint.usedHeap();
    }
}
