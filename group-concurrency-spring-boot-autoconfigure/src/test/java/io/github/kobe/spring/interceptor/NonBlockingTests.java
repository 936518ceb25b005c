package io.github.kobe.spring.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.testing.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** That nothing blocks Reactor's threads, as BlockHound has it; in a JVM of their own. */
@Tag("blockhound")
@Tag("once")
class NonBlockingTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withBean(Streams.class);

    @BeforeAll
    static void watch() {
        BlockHound.install();
    }

    @Test
    void aBlockingCallWouldBeSeen() {
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        Schedulers.parallel().schedule(() -> {
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
                    streams.one().subscribeOn(Schedulers.parallel()).toFuture();
            Disposable cancelled =
                    streams.one().subscribeOn(Schedulers.parallel()).subscribe();
            CompletableFuture<String> rejected =
                    streams.impatient().subscribeOn(Schedulers.parallel()).toFuture();
            Deadline.untilAsserted(() -> assertThat(executor.groupStats("streams")
                            .orElseThrow()
                            .totals()
                            .submitted())
                    .isEqualTo(5));
            CompletableFuture<Boolean> disposed = new CompletableFuture<>();
            Schedulers.parallel().schedule(() -> {
                try {
                    cancelled.dispose();
                    permit.close();
                    disposed.complete(true);
                } catch (Throwable thrown) {
                    disposed.completeExceptionally(thrown);
                }
            });

            assertThat(disposed).succeedsWithin(Deadline.LONG);
            assertThat(waiting).succeedsWithin(Deadline.LONG).isEqualTo("one");
            assertThat(rejected)
                    .failsWithin(Deadline.LONG)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(RejectedTaskException.class);
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        });
    }

    static class Streams {

        @GroupConcurrent(group = "streams")
        Mono<String> one() {
            return Mono.just("one").publishOn(Schedulers.parallel());
        }

        @GroupConcurrent(group = "streams", queueTimeout = "0ms")
        Mono<String> impatient() {
            return Mono.just("never");
        }
    }
}
