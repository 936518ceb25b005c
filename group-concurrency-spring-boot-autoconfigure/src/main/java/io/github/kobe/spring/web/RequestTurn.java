package io.github.kobe.spring.web;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTaskDecorator;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The turn of one request in its group: one permit, from the request for it until the request is complete, or until its
 * answer begins, if its rule says so.
 *
 * <pre>
 *   asked for ──────────────► granted ──► the chain has returned ──► given back
 *       │                        ▲               │
 *       └─► waits, dispatched ───┘               └─► asynchronous ┬─► completed ──► given back
 *                                                                 └─► the answer begins ──► given back
 * </pre>
 *
 * <p>The container completes an asynchronous request after each error and time-out too, so the permit is returned at
 * that moment. A container never calls filter and listeners of one request at the same time; but an answer may begin on any
 * thread. While the request's own thread is inside, the permit stays, and how the request has ended is known after it.
 */
final class RequestTurn implements AsyncListener {

    private final Admission admission;
    private final boolean untilFirstByte;

    /** What goes on where the request waited, with what went along from the thread that it came in on. */
    private @Nullable Callable<?> rest;

    private @Nullable Pass pass;
    private boolean listening;

    /** What an asynchronous request has failed with after its thread had left; {@code null}: nothing so far. */
    private @Nullable Throwable lateFailure;

    /** The thread that is inside; {@code null}: none is. Written by it. */
    private volatile @Nullable Thread inside;

    /** Whether the answer has begun on that thread; written by it. */
    private boolean begun;

    /** What the chain was given to answer with; {@code null}: it hasn't run. */
    private @Nullable HttpServletResponse answered;

    /**
     * @param admission what the request has
     * @param untilFirstByte whether that ends when the answer begins
     */
    RequestTurn(Admission admission, boolean untilFirstByte) {
        this.admission = admission;
        this.untilFirstByte = untilFirstByte;
    }

    boolean isDecided() {
        return admission.permit().isDone();
    }

    /**
     * Has the request wait without its thread: it is dispatched once more when the turn is decided.
     *
     * @param decorators take along what belongs to this thread; the first is the outermost
     */
    void await(HttpServletRequest request, HttpServletResponse response, List<GroupTaskDecorator> decorators) {
        AsyncContext context;
        try {
            Callable<?> goOn = () -> {
                if (pass != null) {
                    pass.go();
                }
                return null;
            };
            for (GroupTaskDecorator decorator : decorators.reversed()) {
                goOn = Objects.requireNonNull(
                        decorator.decorate(admission.groupKey(), goOn), "A GroupTaskDecorator returned null");
            }
            rest = goOn;
            context = request.startAsync(request, response);
            context.setTimeout(0); // The group's own time-out decides.
            listenTo(context);
        } catch (RuntimeException | Error refused) {
            admission.ended(null); // or nobody would: the container may never complete what didn't become asynchronous
            throw refused;
        }
        whenDecided((granted, failure) -> {
            if (!(failure instanceof CancellationException)) {
                dispatch(context);
            }
        });
    }

    private void whenDecided(BiConsumer<@Nullable GroupPermit, @Nullable Throwable> action) {
        CompletionStage<GroupPermit> stage = admission.permit();
        stage.whenComplete(action);
    }

    private void dispatch(AsyncContext context) {
        try {
            context.dispatch();
        } catch (IllegalStateException completed) {
            admission.ended(null);
        }
    }

    /** {@return whether this is the dispatch that the request waited for; once} */
    boolean isResumed() {
        return rest != null && isDecided();
    }

    /** Goes on with a request that waited. */
    void resume(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Callable<?> waited = rest;
        rest = null;
        ResumedRequest resumed = new ResumedRequest(request);
        pass = () -> {
            try {
                proceed(resumed, response, chain);
            } finally {
                resumed.passed();
            }
        };
        try {
            if (waited != null) {
                call(waited);
            }
        } catch (ServletException | IOException | RuntimeException | Error failure) {
            if (answered == null) {
                end(response, failure);
            }
            throw failure;
        } finally {
            pass = null;
        }
    }

    /** Waits on this thread until it is decided; false if that is interrupted. */
    boolean waitHere() {
        try {
            admission.permit().get();
        } catch (ExecutionException | CancellationException refused) {
            return true; // and refusal() tells why
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            admission.ended(null);
            return false;
        }
        return true;
    }

    /** {@return why the request is refused, which then has nothing any more; {@code null} if it may begin} */
    @Nullable
    RejectionProblem refusal() {
        RejectionProblem refusal = admission.refusal();
        if (refusal != null) {
            admission.ended(new CancellationException("The request was refused"));
        }
        return refusal;
    }

    /** Runs the rest of the chain within the permit. */
    void proceed(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        answered = response;
        Throwable failure = null;
        try {
            inside(request, response, chain);
        } catch (ServletException | IOException | RuntimeException | Error thrown) {
            failure = thrown;
            throw thrown;
        } finally {
            if (!request.isAsyncStarted()) {
                end(response, failure);
            } else if (!listening) {
                listenTo(request.getAsyncContext());
            }
        }
    }

    private void end(HttpServletResponse response, @Nullable Throwable failure) {
        if (failure == null) {
            admission.answered(response.getStatus());
        } else {
            admission.ended(!response.isCommitted() && SecurityRefusal.isIn(failure) ? null : failure);
        }
    }

    /**
     * Runs the chain inside the permit, for a request that has it already too. A filter further out may forward a request
     * that is over, to a page that tells of a failure: that is outside.
     */
    void inside(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (admission.isOver()) {
            chain.doFilter(request, response);
            return;
        }
        GroupPermit granted = admission.granted();
        request.setAttribute(RequestGroupKey.PERMIT_ATTRIBUTE, granted);
        HttpServletResponse answer =
                untilFirstByte ? new FirstByteResponse(response, () -> begins(response)) : response;
        inside = Thread.currentThread();
        try {
            call(() -> granted.call(() -> {
                chain.doFilter(request, answer);
                return null;
            }));
        } finally {
            inside = null;
            if (begun && request.isAsyncStarted()) {
                admission.answered(response.getStatus());
            }
        }
    }

    /** The answer begins. What is written on the request's own thread may still be taken back, for an error. */
    private void begins(HttpServletResponse response) {
        if (Thread.currentThread().equals(inside)) {
            begun = true;
        } else if (!admission.isOver()) {
            admission.answered(response.getStatus());
        }
    }

    /** Throws what code of the chain may throw. */
    private static void call(Callable<?> code) throws ServletException, IOException {
        try {
            code.call();
        } catch (ServletException | IOException | RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new ServletException(failure);
        }
    }

    private void listenTo(AsyncContext context) {
        listening = true;
        context.addListener(this);
    }

    @Override
    public void onComplete(AsyncEvent event) {
        if (answered == null) {
            admission.ended(null);
        } else {
            end(answered, lateFailure);
        }
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        // Whoever answers a time-out still works for the request.
    }

    @Override
    public void onError(AsyncEvent event) {
        if (answered != null && answered.isCommitted()) {
            lateFailure = event.getThrowable(); // else whoever answers it decides
        }
    }

    /** The container forgets the listeners of the cycle before. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        listenTo(event.getAsyncContext());
    }

    private interface Pass {
        void go() throws ServletException, IOException;
    }
}
