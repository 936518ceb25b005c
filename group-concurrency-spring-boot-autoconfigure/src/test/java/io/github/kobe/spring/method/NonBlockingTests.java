package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Deadline;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** That nothing blocks Reactor's threads, as BlockHound has it; in a JVM of their own. */
@Tag("blockhound")
@Tag("once")
class NonBlockingTests {

    /** Of one thread: BlockHound would tell of two that meet at the engine's lock, which each leaves at once. */
    private static final Scheduler SCHEDULER = Schedulers.newParallel("one", 1);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withBean(Streams.class);

    @BeforeAll
    static void watch() {
        BlockHound.install();
    }

    @AfterAll
    static void stop() {
        SCHEDULER.dispose();
    }

    @Test
    void aBlockingCallWouldBeSeen() {
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        SCHEDULER.schedule(() -> {
            try {
                LockSupport.parkNanos(1);
                seen.complete(new AssertionError("nothing was seen"));
            } catch (Throwable thrown) {
                seen.complete(thrown);
            }
        });

        assertThat(seen).succeedsWithin(Deadline.LONG).isInstanceOf(BlockingOperationError.class);
    }

    @Test
    void subscribingWaitingCancellingAndEndingBlockNothing() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Streams streams = context.getBean(Streams.class);
            // Once with all that is made at first use.
            assertThat(streams.one().block(Deadline.LONG)).isEqualTo("one");
            GroupPermit permit = executor.acquireAsync("streams")
                    .toCompletableFuture()
                    .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                    .join();

            CompletableFuture<String> waiting =
                    streams.one().subscribeOn(SCHEDULER).toFuture();
            Disposable cancelled = streams.one().subscribeOn(SCHEDULER).subscribe();
            CompletableFuture<String> rejected =
                    streams.impatient().subscribeOn(SCHEDULER).toFuture();
            CompletableFuture<Long> submitted = onTheScheduler(() -> submitted(executor));
            CompletableFuture<Boolean> disposed = onTheScheduler(() -> {
                cancelled.dispose();
                permit.close();
                return true;
            });

            assertThat(submitted).succeedsWithin(Deadline.LONG).isEqualTo(5L);
            assertThat(disposed).succeedsWithin(Deadline.LONG);
            assertThat(waiting).succeedsWithin(Deadline.LONG).isEqualTo("one");
            assertThat(rejected)
                    .failsWithin(Deadline.LONG)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(RejectedTaskException.class);
            assertThat(onTheScheduler(() -> "the last")).succeedsWithin(Deadline.LONG);
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        });
    }

    private static long submitted(GroupExecutor executor) {
        return executor.groupStats("streams").orElseThrow().totals().submitted();
    }

    private static <T> CompletableFuture<T> onTheScheduler(Callable<T> work) {
        return Mono.fromCallable(work).subscribeOn(SCHEDULER).toFuture();
    }

    static class Streams {

        @GroupConcurrent(group = "streams")
        Mono<String> one() {
            return Mono.just("one").publishOn(SCHEDULER);
        }

        @GroupConcurrent(group = "streams", queueTimeout = "0ms")
        Mono<String> impatient() {
            return Mono.just("never");
        }
    }
}
