package io.github.kobe.rollout.http;

import java.io.IOException;

/**
 * Sends requests. It may be called by many threads at once. It should follow no redirects: that would pass a configuration
 * on to whatever place the answer names.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface HttpTransport {

    /**
     * {@return the status of the answer}
     *
     * @param call the request
     * @throws IOException if there is no answer in time
     * @throws InterruptedException if the thread is interrupted
     */
    int send(HttpCall call) throws IOException, InterruptedException;

    /** {@return a new one that uses the JDK's HTTP client, and follows no redirects} */
    static HttpTransport jdk() {
        return new JdkHttpTransport();
    }
}
