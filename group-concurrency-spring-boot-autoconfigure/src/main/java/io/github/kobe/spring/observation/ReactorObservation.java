package io.github.kobe.spring.observation;

import io.micrometer.observation.Observation;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Makes the observation of a Reactor context current while work is submitted, and puts the work's observation into the
 * context of the code that runs under it. A reactive pipeline has its observation in its context, and not on its
 * threads.
 *
 * <pre>{@code
 * Mono.deferContextual(context -> {
 *     ReactorObservation observation = ReactorObservation.of(context);
 *     CompletionStage<GroupPermit> permit = observation.around(() -> executor.acquireAsync(key));
 *     return Mono.fromCompletionStage(permit).flatMap(...).contextWrite(observation::addTo);
 * });
 * }</pre>
 *
 * <p>Use an instance for one submission, by one thread.
 */
public final class ReactorObservation {

    /** What Micrometer's {@code ObservationThreadLocalAccessor} has it under. */
    private static final String KEY = "micrometer.observation";

    private static final ThreadLocal<@Nullable ReactorObservation> CURRENT = new ThreadLocal<>();

    private final @Nullable Observation parent;
    private @Nullable Observation begun;

    private ReactorObservation(@Nullable Observation parent) {
        this.parent = parent;
    }

    /**
     * Finds the observation of a context.
     *
     * @param context the subscriber's context
     * @return the observation of the context, if there is one
     */
    public static ReactorObservation of(ContextView context) {
        return new ReactorObservation(
                context.getOrDefault(KEY, null) instanceof Observation found && !found.isNoop() ? found : null);
    }

    static @Nullable ReactorObservation current() {
        return CURRENT.get();
    }

    /**
     * Submits work whose observation is a child of the one in the context.
     *
     * @param submission submits the work, or asks for a permit, on this thread
     * @param <T> the type of its value
     * @return its value
     */
    public <T> T around(Supplier<T> submission) {
        CURRENT.set(this);
        try {
            return submission.get();
        } finally {
            CURRENT.remove();
        }
    }

    /**
     * Passes on the observation of the submitted work.
     *
     * @param context the subscriber's context
     * @return a context with that observation; the same context if the work isn't observed
     */
    public Context addTo(Context context) {
        Observation own = begun;
        return own == null ? context : context.put(KEY, own);
    }

    @Nullable
    Observation parent() {
        return parent;
    }

    void begun(Observation observation) {
        begun = observation;
    }
}
