package io.github.kobe.spring.method;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.internal.context.EnclosingPermit;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * One call of an annotated method that is limited at each subscription. The method itself runs once the subscription
 * has its permit, so what it does before it returns is within the limit too.
 */
final class ReactiveCall {

    private final GuardedCall call;
    private final ReactiveStyle style;

    ReactiveCall(GuardedCall call, ReactiveStyle style) {
        this.call = call;
        this.style = style;
    }

    /** {@return what is subscribed to} */
    Publisher<Object> publisher() {
        return subscriber -> new ReactiveTurn(this, style.isSingle(), Operators.toCoreSubscriber(subscriber)).start();
    }

    GroupExecutor executor() {
        return call.executor();
    }

    /** Asks for a permit from inside of what encloses the subscriber, blocking nothing. */
    CompletableFuture<GroupPermit> ask(@Nullable EnclosingPermit enclosing) {
        return EnclosingPermit.acquireAsync(
                executor(), enclosing, call.groupKey(), call.taskId(), call.maxWait(), call.costs());
    }

    RejectedTaskException shutDown() {
        return call.rejection(RejectionReason.SHUTDOWN);
    }

    /** {@return what the method returns} */
    Publisher<?> proceed() {
        try {
            return style.publisherOf(call.proceedAnew());
        } catch (Throwable thrown) {
            return Mono.error(tellable(thrown));
        }
    }

    /** {@return what is subscribed to by one who isn't let in} */
    Publisher<?> instead(Throwable refusal) {
        try {
            if (refusal instanceof RejectedTaskException rejection) {
                return style.publisherOf(call.rejected(rejection));
            }
            return Mono.error(tellable(refusal));
        } catch (Throwable thrown) {
            return Mono.error(tellable(thrown));
        }
    }

    /** Reactor would throw some errors of the JVM past the subscriber, which would wait for ever with its permit. */
    static Throwable tellable(Throwable thrown) {
        return Exceptions.isJvmFatal(thrown) ? new UndeclaredThrowableException(thrown) : thrown;
    }
}
