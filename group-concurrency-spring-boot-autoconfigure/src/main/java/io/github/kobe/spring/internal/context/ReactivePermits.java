package io.github.kobe.spring.internal.context;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Held permits in Reactor's chains. This class depends on Reactor, so it is apart from the permits themselves. */
public final class ReactivePermits {

    private ReactivePermits() {}

    /**
     * Has work be under a permit: what is subscribed to in it, and what the thread that subscribes asks for. Its value or
     * failure is told once the threads that have led to it have left the permit, which until then can't be returned.
     *
     * @param enclosing the held permit
     * @param work what is subscribed to
     * @param <T> what it gives
     * @return the work, under the permit
     */
    public static <T> Mono<T> inside(EnclosingPermit enclosing, Mono<T> work) {
        return Mono.fromDirect(
                inside(enclosing, work.contextWrite(inner(enclosing)).hide(), true));
    }

    /**
     * Has work of many elements be under a permit, as that of one. Its end is told once the threads that have led to it
     * have left the permit, and its elements at once.
     *
     * @param enclosing the held permit
     * @param work what is subscribed to
     * @param <T> what it gives
     * @return the work, under the permit
     */
    public static <T> Flux<T> inside(EnclosingPermit enclosing, Flux<T> work) {
        return Flux.from(inside(enclosing, work.contextWrite(inner(enclosing)).hide(), false));
    }

    /**
     * Has a chain that is cancelled give back what it holds once its source has heard of the cancel: {@code doOnCancel}
     * would do so before.
     *
     * @param work the chain
     * @param giveBack gives it back; a cancel after the end calls it too
     * @param <T> what the chain gives
     * @return the chain
     */
    public static <T> Mono<T> afterCancel(Mono<T> work, Runnable giveBack) {
        return work.transform(Operators.<T, T>lift((source, downstream) -> new AfterCancel<>(downstream, giveBack)));
    }

    /**
     * As {@link #afterCancel(Mono, Runnable)}.
     *
     * @param work the chain
     * @param giveBack gives back what it holds
     * @param <T> what the chain gives
     * @return the chain
     */
    public static <T> Flux<T> afterCancel(Flux<T> work, Runnable giveBack) {
        return work.transform(Operators.<T, T>lift((source, downstream) -> new AfterCancel<>(downstream, giveBack)));
    }

    private static Context inner(EnclosingPermit enclosing) {
        return Context.of(EnclosingPermit.class, enclosing);
    }

    private static <T> Publisher<T> inside(EnclosingPermit enclosing, Publisher<T> under, boolean single) {
        return subscriber -> {
            ToldOutside<T> told = new ToldOutside<>(enclosing, Operators.toCoreSubscriber(subscriber), single);
            enclosing.enterAwaited(() -> under.subscribe(told));
        };
    }

    /** Whose end is signalled outside the permit. */
    private static final class ToldOutside<T> implements CoreSubscriber<T> {

        private final EnclosingPermit enclosing;
        private final CoreSubscriber<? super T> downstream;
        private final boolean single;

        private boolean ended;
        private @Nullable T value;
        private @Nullable Throwable failure;

        /**
         * @param single whether an element is the end
         */
        ToldOutside(EnclosingPermit enclosing, CoreSubscriber<? super T> downstream, boolean single) {
            this.enclosing = enclosing;
            this.downstream = downstream;
            this.single = single;
        }

        @Override
        public Context currentContext() {
            return downstream.currentContext();
        }

        @Override
        public void onSubscribe(Subscription upstream) {
            downstream.onSubscribe(upstream);
        }

        @Override
        public void onNext(T element) {
            if (single) {
                value = element;
                onComplete();
            } else {
                downstream.onNext(element);
            }
        }

        @Override
        public void onError(Throwable thrown) {
            if (ended) {
                Operators.onErrorDropped(thrown, currentContext());
                return;
            }
            failure = thrown;
            onComplete();
        }

        @Override
        public void onComplete() {
            if (!ended) {
                ended = true;
                enclosing.whenLeft(this::tell);
            }
        }

        private void tell() {
            if (failure != null) {
                downstream.onError(failure);
                return;
            }
            if (value != null) {
                downstream.onNext(value);
            }
            downstream.onComplete();
        }
    }

    private static final class AfterCancel<T> implements CoreSubscriber<T>, Subscription {

        private final CoreSubscriber<? super T> downstream;
        private final Runnable giveBack;
        private Subscription upstream = Operators.emptySubscription();

        AfterCancel(CoreSubscriber<? super T> downstream, Runnable giveBack) {
            this.downstream = downstream;
            this.giveBack = giveBack;
        }

        @Override
        public Context currentContext() {
            return downstream.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            downstream.onSubscribe(this);
        }

        @Override
        public void onNext(T element) {
            downstream.onNext(element);
        }

        @Override
        public void onError(Throwable failure) {
            downstream.onError(failure);
        }

        @Override
        public void onComplete() {
            downstream.onComplete();
        }

        @Override
        public void request(long count) {
            upstream.request(count);
        }

        @Override
        public void cancel() {
            try {
                upstream.cancel();
            } finally {
                giveBack.run();
            }
        }
    }
}
