package io.github.kobe.spring.method;

import io.github.kobe.GroupPermit;
import io.github.kobe.spring.internal.context.EnclosingPermit;
import io.github.kobe.spring.observation.ReactorObservation;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One subscription's way through its group. It waits for a permit without blocking; then the method runs, and its
 * result is subscribed to. At the end the permit is returned before anyone is told.
 *
 * <p>The method's code runs inside the permit: at the subscription, when elements are
 * requested, and in tasks for Reactor's schedulers. An inner subscription finds it in Reactor's context. So no inner
 * request waits for the permits that this one holds. While a thread is inside, the permit can't be returned, so the
 * last thread that leaves signals the end.
 */
final class ReactiveTurn extends Operators.DeferredSubscription implements CoreSubscriber<Object> {

    /** The innermost whose method's code the thread runs. */
    private static final ThreadLocal<@Nullable ReactiveTurn> CURRENT = new ThreadLocal<>();

    private final GuardedCall call;
    private final ReactiveStyle style;
    private final CoreSubscriber<? super Object> downstream;

    /** What this one is within, which is open for as long as this is, unless it was cancelled. */
    private final @Nullable ReactiveTurn outer;

    /** The innermost of what is held for what this one is within: by outer ones, for a request, or for a client's call. */
    private final @Nullable EnclosingPermit enclosing;

    /** The observation of the subscriber, and of this. */
    private final ReactorObservation observation;

    private final AtomicBoolean terminated = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    private volatile @Nullable CompletableFuture<GroupPermit> asked;

    /** What is held for this one, once it is granted. */
    private volatile @Nullable EnclosingPermit own;

    /** Of one with a single element, which is told with the end; by the one that the method's publisher signals on. */
    private @Nullable Object value;

    private @Nullable Throwable failure;

    /**
     * @param style how the method's result is subscribed to
     */
    ReactiveTurn(GuardedCall call, ReactiveStyle style, CoreSubscriber<? super Object> downstream) {
        this.call = call;
        this.style = style;
        this.downstream = downstream;
        Context context = downstream.currentContext();
        this.outer = context.getOrDefault(ReactiveTurn.class, CURRENT.get());
        EnclosingPermit found = context.getOrDefault(EnclosingPermit.class, null);
        // What the context has goes before what only the thread has.
        boolean byThread = !context.hasKey(ReactiveTurn.class);
        this.enclosing = outer == null || (byThread && found != null) || isWithin(found, outer.own) ? found : outer.own;
        this.observation = ReactorObservation.of(context);
    }

    /** {@return whether a permit is another one, or is within that} */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    private static boolean isWithin(@Nullable EnclosingPermit inner, @Nullable EnclosingPermit other) {
        EnclosingPermit each = inner;
        while (each != null && each != other) {
            each = each.outer();
        }
        return each == other;
    }

    void start() {
        downstream.onSubscribe(this);
        if (!isCancelled()) {
            CompletableFuture<GroupPermit> future = observation.around(this::ask);
            asked = future;
            if (isCancelled()) {
                future.cancel(false);
            }
            Mono.fromFuture(future, true).subscribe(new Answer());
        }
    }

    // ---- to the permit

    /** Asks for a permit from inside of what encloses the subscriber, blocking nothing. */
    private CompletableFuture<GroupPermit> ask() {
        return EnclosingPermit.acquireAsync(
                call.executor(), enclosing, call.groupKey(), call.taskId(), call.maxWait(), call.costs());
    }

    /** What the request for a permit comes to, with the thread-locals that Reactor restores of the subscriber's context. */
    private final class Answer implements CoreSubscriber<GroupPermit> {

        @Override
        public Context currentContext() {
            return ReactiveTurn.this.currentContext();
        }

        @Override
        public void onSubscribe(Subscription answer) {
            answer.request(1); // It is never cancelled: a permit that comes all the same has to go back.
        }

        @Override
        public void onNext(GroupPermit granted) {
            own = new EnclosingPermit(call.executor(), granted, enclosing);
            if (isCancelled()) {
                close(new Cancelled());
            } else {
                within(() -> subscribeTo(() -> style.proceed(call)));
            }
        }

        @Override
        public void onError(Throwable refusal) {
            if (!isCancelled()) {
                subscribeTo(() -> style.instead(call, refusal));
            }
        }

        @Override
        public void onComplete() {
            // The permit is here.
        }
    }

    private void subscribeTo(Supplier<Publisher<?>> method) {
        try {
            method.get().subscribe(this);
        } catch (Throwable thrown) {
            onError(ReactiveStyle.tellable(thrown)); // else the subscriber would wait for ever
        }
    }

    // ---- inside of it

    /** Runs code of the method inside the permit, if that isn't back yet. */
    private void within(Runnable code) {
        ReactiveTurn before = CURRENT.get();
        EnclosingPermit held = own;
        if (before == this || held == null || closed.get()) {
            code.run();
            return;
        }
        held.enterAwaited(() -> {
            CURRENT.set(this);
            try {
                code.run();
            } finally {
                restore(before);
            }
        });
    }

    private static void restore(@Nullable ReactiveTurn before) {
        if (before == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(before);
        }
    }

    /** As {@link #within}, on a thread that may be outside of what this is within. */
    private void withinAll(Runnable code) {
        if (outer == null) {
            enterAll(enclosing, null, () -> within(code));
        } else {
            outer.withinAll(() -> enterAll(enclosing, outer.own, () -> within(code)));
        }
    }

    /** Runs code inside a permit, and what that is within, up to one that the thread is inside already. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    private static void enterAll(@Nullable EnclosingPermit inner, @Nullable EnclosingPermit entered, Runnable code) {
        if (inner == null || inner == entered) {
            code.run();
        } else {
            enterAll(inner.outer(), entered, () -> inner.enter(code));
        }
    }

    /** {@return a task for one of Reactor's schedulers, inside of what the thread that schedules it is inside of} */
    static Runnable carriedOn(Runnable scheduled) {
        ReactiveTurn turn = CURRENT.get();
        return turn == null ? scheduled : () -> turn.withinAll(scheduled);
    }

    // ---- signals of the method's publisher

    @Override
    public Context currentContext() {
        Context context = downstream.currentContext();
        EnclosingPermit held = own;
        if (held == null) {
            return context;
        }
        return observation.addTo(context.put(ReactiveTurn.class, this).put(EnclosingPermit.class, held));
    }

    @Override
    public void onSubscribe(Subscription upstream) {
        boolean unused = set(upstream);
    }

    @Override
    public void onNext(Object element) {
        if (style.isSingle()) {
            value = element;
            return;
        }
        EnclosingPermit.awaitCurrentThread();
        ReactiveTurn before = CURRENT.get();
        if (before != this) {
            downstream.onNext(element);
            return;
        }
        restore(outer); // what the subscriber schedules is his
        try {
            downstream.onNext(element);
        } finally {
            CURRENT.set(before);
        }
    }

    @Override
    public void onError(Throwable thrown) {
        end(thrown);
    }

    @Override
    public void onComplete() {
        end(null);
    }

    private void end(@Nullable Throwable thrown) {
        if (!terminated.compareAndSet(false, true)) {
            if (thrown != null) {
                Operators.onErrorDropped(thrown, downstream.currentContext());
            }
            return;
        }
        failure = thrown;
        EnclosingPermit held = own;
        if (held == null) {
            tell();
        } else {
            held.whenLeft(this::tell);
        }
    }

    private void tell() {
        EnclosingPermit.awaitCurrentThread();
        Throwable thrown = failure;
        close(thrown);
        Object element = value;
        if (thrown != null) {
            downstream.onError(thrown);
            return;
        }
        if (element != null) {
            downstream.onNext(element);
        }
        downstream.onComplete();
    }

    /** Gives the permit back; the first to do so says how it ended. */
    private void close(@Nullable Throwable why) {
        EnclosingPermit held = own;
        if (held != null && closed.compareAndSet(false, true)) {
            EnclosingPermit.close(held, why);
        }
    }

    // ---- signals of the subscriber

    @Override
    public void request(long n) {
        within(() -> super.request(n));
    }

    /** Leaves the queue; or cancels what the method returned, and then gives the permit back. */
    @Override
    public void cancel() {
        super.cancel();
        CompletableFuture<GroupPermit> future = asked;
        if (future != null) {
            future.cancel(false);
        }
        close(new Cancelled());
    }

    /** Why a subscription that was cancelled ended; without a stack trace, which many would pay for and nobody read. */
    private static final class Cancelled extends CancellationException {

        private static final long serialVersionUID = 1;

        Cancelled() {
            super("The subscription was cancelled");
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }
}
