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
}
