package io.github.kobe.spring.interceptor;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One call of an annotated method that returns a {@link Mono} or {@link Flux}. The method itself runs at each
 * subscription, once that has its permit, so what it does before it returns is within the limit too. The only class that
 * knows Reactor; it is loaded by the first such call.
 */
final class ReactiveCall {

    private final GuardedMethod method;
    private final String groupKey;
    private final GroupExecutor executor;
    private final MethodInvocation invocation;
    private final GuardedCall call;

    /**
     * @param call the same call, which knows what becomes of it when it isn't let in
     */
    ReactiveCall(
            GuardedMethod method,
            String groupKey,
            GroupExecutor executor,
            MethodInvocation invocation,
            GuardedCall call) {
        this.method = method;
        this.groupKey = groupKey;
        this.executor = executor;
        this.invocation = invocation;
        this.call = call;
    }

    Mono<Object> mono() {
        return Mono.defer(() -> {
            Turn turn = new Turn();
            return turn.answer()
                    .flatMap(answer -> Mono.<Object>from(answer.publisher()))
                    .doOnTerminate(turn::end)
                    .doFinally(signal -> turn.end());
        });
    }

    Flux<Object> flux() {
        return Flux.defer(() -> {
            Turn turn = new Turn();
            return turn.answer()
                    .flatMapMany(answer -> Flux.<Object>from(answer.publisher()))
                    .doOnTerminate(turn::end)
                    .doFinally(signal -> turn.end());
        });
    }

    /** What a subscriber gets: what the method returns, or what the fallback does. */
    private interface Answer {
        Publisher<?> publisher();
    }

    /** One subscription's way through the group. */
    private final class Turn {
        private @Nullable CompletableFuture<GroupPermit> asked;

        /** Waits for the permit, blocking nothing; a rejection is the fallback's, not one that the method tells of. */
        Mono<Answer> answer() {
            return Mono.fromFuture(this::ask)
                    .<Answer>map(permit -> ReactiveCall.this::proceed)
                    .onErrorResume(RejectedTaskException.class, rejection -> Mono.just(() -> instead(rejection)));
        }

        private CompletableFuture<GroupPermit> ask() {
            Duration maxWait = method.queueTimeout() == null ? GroupLimits.NO_TIMEOUT : method.queueTimeout();
            CompletableFuture<GroupPermit> future;
            try {
                future = executor.acquireAsync(groupKey, method.taskId(), maxWait)
                        .toCompletableFuture();
            } catch (IllegalStateException shutDown) {
                future = CompletableFuture.failedFuture(call.rejection(RejectionReason.SHUTDOWN));
            }
            asked = future;
            return future;
        }

        /**
         * Leaves the queue, or gives the permit back. The first of end and cancel does so: at the end before anyone is
         * told, at a cancel after what the method returned was cancelled.
         */
        void end() {
            CompletableFuture<GroupPermit> future = asked;
            if (future != null && !future.cancel(false) && future.state() == CompletableFuture.State.SUCCESS) {
                future.resultNow().close();
            }
        }
    }

    /** An invocation can proceed once; each subscription has one of its own. */
    private Publisher<?> proceed() {
        MethodInvocation own =
                invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
        try {
            return asPublisher(own.proceed());
        } catch (Throwable thrown) {
            return error(thrown);
        }
    }

    private Publisher<?> instead(RejectedTaskException rejection) {
        try {
            return asPublisher(call.rejected(rejection));
        } catch (Throwable thrown) {
            return error(thrown);
        }
    }

    /** Reactor would throw some errors of the JVM past the subscriber, which would wait for ever with its permit. */
    private static Mono<Object> error(Throwable thrown) {
        return Mono.error(Exceptions.isJvmFatal(thrown) ? new UndeclaredThrowableException(thrown) : thrown);
    }

    private static Publisher<?> asPublisher(@Nullable Object returned) {
        return returned instanceof Publisher<?> publisher
                ? publisher
                : Mono.error(new IllegalStateException("The method returned null in place of a publisher"));
    }
}
