package io.github.kobe.spring.observation;

import io.micrometer.observation.Observation;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Brings the observation of a Reactor context to where work is submitted, and that of the work into the context of what runs
 * under it. A reactive pipeline has its observation in its context, and not on its threads.
 *
 * <pre>{@code
 * Mono.deferContextual(context -> {
 *     ReactorObservation observation = ReactorObservation.of(context);
 *     CompletionStage<GroupPermit> permit = observation.around(() -> executor.acquireAsync(key));
 *     return Mono.fromCompletionStage(permit).flatMap(...).contextWrite(observation::addTo);
 * });
 * }</pre>
 *
 * <p>For one submission, by one thread.
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
     * Looks for an observation.
     *
     * @param context the subscriber's context
     * @return the observation of the context, if there is one
     */
    public static ReactorObservation of(ContextView context) {
        return new ReactorObservation(context.getOrDefault(KEY, null) instanceof Observation found ? found : null);
    }

    static @Nullable ReactorObservation current() {
        return CURRENT.get();
    }

    /**
     * Submits something, whose observation is a child of that in the context.
     *
     * @param submission submits, or asks for a permit, on this thread
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
     * Hands on the observation of what was submitted.
     *
     * @param context the subscriber's context
     * @return a context with that observation; the same one if it isn't observed
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
