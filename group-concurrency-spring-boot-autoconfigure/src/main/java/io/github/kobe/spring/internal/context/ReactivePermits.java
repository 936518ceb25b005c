package io.github.kobe.spring.internal.context;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;

/** Held permits in Reactor's chains. This class depends on Reactor, so it is apart from the permits themselves. */
public final class ReactivePermits {

    private ReactivePermits() {}

    /**
     * Has work be under a permit: what is subscribed to in it, and what the thread that subscribes asks for.
     *
     * @param enclosing the held permit
     * @param work what is subscribed to
     * @param <T> what it gives
     * @return the work, under the permit
     */
    public static <T> Publisher<T> inside(EnclosingPermit enclosing, Publisher<T> work) {
        Flux<T> under = Flux.from(work).contextWrite(Context.of(EnclosingPermit.class, enclosing));
        return subscriber -> EnclosingPermit.enter(enclosing, () -> under.subscribe(subscriber));
    }
}
