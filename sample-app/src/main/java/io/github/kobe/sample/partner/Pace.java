package io.github.kobe.sample.partner;

import java.util.concurrent.CompletionStage;

/** How long the partner takes. */
@FunctionalInterface
public interface Pace {

    /**
     * Decides when the partner answers a request that has just arrived.
     *
     * @param tenant for whom the request is
     * @return completes when the answer may leave
     */
    CompletionStage<Void> answer(String tenant);
}
