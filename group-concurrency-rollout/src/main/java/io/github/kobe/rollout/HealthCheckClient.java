package io.github.kobe.rollout;

import java.io.IOException;
import java.util.Map;

/**
 * Asks an instance about its health. It may be called by many threads at once, and is interrupted when the time is up.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface HealthCheckClient {

    /**
     * {@return the answer of an instance: the fields of a JSON object}
     *
     * @param url the URL to ask
     * @throws IOException if there is no answer, or the answer reports an error
     * @throws InterruptedException if the thread is interrupted
     */
    Map<String, Object> get(String url) throws IOException, InterruptedException;

    /**
     * {@return the answer of an instance: the fields of a JSON object} By default the headers are left out, and
     * {@link #get(String)} is called.
     *
     * @param url the URL to ask
     * @param headers what to send beside the client's own headers, such as {@code Authorization}
     * @throws IOException if there is no answer, or the answer reports an error
     * @throws InterruptedException if the thread is interrupted
     */
    default Map<String, Object> get(String url, Map<String, String> headers) throws IOException, InterruptedException {
        return get(url);
    }

    /**
     * {@return a client that asks by HTTP and reads JSON} An answer with another status than 200 to 299 is an error.
     *
     * @param transport sends the requests
     */
    static HealthCheckClient over(HttpTransport transport) {
        return new HttpHealthChecks(transport);
    }
}
