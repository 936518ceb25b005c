package io.github.kobe.rollout.http;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * One request.
 *
 * @param method such as {@code PUT}
 * @param url the URL to call
 * @param headers the headers, each with one value
 * @param body the body, may be empty
 * @param timeout how long to wait for the answer
 * @since 0.1.0
 */
public record HttpCall(String method, URI url, Map<String, String> headers, String body, Duration timeout) {

    /** Copies the headers. */
    public HttpCall {
        headers = Map.copyOf(headers);
    }
}
