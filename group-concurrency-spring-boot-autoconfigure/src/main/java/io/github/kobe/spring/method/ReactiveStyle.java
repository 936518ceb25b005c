package io.github.kobe.spring.method;

import io.github.kobe.RejectedTaskException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * The method runs at each subscription of what the caller got at once: a {@link Mono}, a {@link Flux}, or a type
 * derived from one. This class depends on Reactor, so it is loaded only for the first such method.
 */
final class ReactiveStyle implements CallStyle {

    private final boolean single;
    private final Function<@Nullable Object, @Nullable Publisher<?>> toPublisher;
    private final Function<Publisher<?>, Object> fromPublisher;

    private ReactiveStyle(
            boolean single,
            Function<@Nullable Object, @Nullable Publisher<?>> toPublisher,
            Function<Publisher<?>, Object> fromPublisher) {
        this.single = single;
        this.toPublisher = toPublisher;
        this.fromPublisher = fromPublisher;
    }

    /** {@return the style of methods that return what {@code adapter} is for} */
    static ReactiveStyle of(ReactiveAdapter adapter) {
        Function<@Nullable Object, @Nullable Publisher<?>> toPublisher =
                returned -> returned == null ? null : adapter.toPublisher(returned);
        return new ReactiveStyle(!adapter.isMultiValue(), toPublisher, adapter::fromPublisher);
    }

    /**
     * {@return the style of Kotlin's suspend functions} Spring's proxies make publishers of them, and take publishers.
     *
     * @param type what the function returns
     */
    static ReactiveStyle ofSuspending(Class<?> type) {
        ReactiveAdapter flow = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        // What doesn't come from the function comes from a fallback that doesn't suspend.
        Function<@Nullable Object, @Nullable Publisher<?>> toPublisher = returned -> switch (returned) {
            case null -> Mono.empty();
            case Publisher<?> publisher -> publisher;
            case Object made when flow != null -> flow.toPublisher(made);
            case Object value -> Mono.just(value);
        };
        return new ReactiveStyle(flow == null, toPublisher, publisher -> publisher);
    }

    /** {@return whether there is one element at most} */
    boolean isSingle() {
        return single;
    }

    @Override
    public boolean goesOnInSchedulers() {
        return true;
    }

    /**
     * Each subscription is limited. The method itself runs once that has its permit, so what it does before it returns is within
     * the limit too.
     */
    @Override
    public Object start(GuardedCall call) {
        Publisher<Object> publisher =
                subscriber -> new ReactiveTurn(call, this, Operators.toCoreSubscriber(subscriber)).start();
        return fromPublisher.apply(single ? Mono.fromDirect(publisher) : Flux.from(publisher));
    }

    /** {@return what the method of a call returns} */
    Publisher<?> proceed(GuardedCall call) {
        try {
            return publisherOf(call.proceedAnew(), "The method", call);
        } catch (Throwable thrown) {
            return Mono.error(tellable(thrown));
        }
    }

    /** {@return what is subscribed to by one who isn't let in} */
    Publisher<?> instead(GuardedCall call, Throwable refusal) {
        try {
            if (refusal instanceof RejectedTaskException rejection) {
                return publisherOf(call.rejected(rejection), "The fallback of", call);
            }
            return Mono.error(tellable(refusal));
        } catch (Throwable thrown) {
            return Mono.error(tellable(thrown));
        }
    }

    private Publisher<?> publisherOf(@Nullable Object returned, String subject, GuardedCall call) {
        Publisher<?> publisher = toPublisher.apply(returned);
        return publisher != null
                ? publisher
                : Mono.error(new IllegalStateException(
                        subject + " " + call.taskId() + " returned null instead of a publisher"));
    }

    /** Reactor would throw some errors of the JVM past the subscriber, which would wait for ever with its permit. */
    static Throwable tellable(Throwable thrown) {
        return Exceptions.isJvmFatal(thrown) ? new UndeclaredThrowableException(thrown) : thrown;
    }
}
