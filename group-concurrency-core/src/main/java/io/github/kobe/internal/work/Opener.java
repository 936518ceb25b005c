package io.github.kobe.internal.work;

import io.github.kobe.Costs;
import io.github.kobe.GroupPermit;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

/** What a permit does for the one who has it. */
public interface Opener {

    /**
     * Runs {@code task} with the current thread inside of a permit.
     *
     * @param kept kept for this
     */
    <T> T callInside(OpenablePermit kept, Callable<T> task) throws Exception;

    /**
     * Asks for a permit of another group that shares the global permit of a permit; in its own group it shares that.
     *
     * @param kept kept for this
     */
    CompletionStage<GroupPermit> acquireAsync(
            OpenablePermit kept, String key, String id, Duration maxWait, Costs costs);
}
