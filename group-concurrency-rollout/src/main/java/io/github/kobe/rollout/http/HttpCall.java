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

    /** {@return what it consists of, but only the names of the headers and the length of the body, which may be secret} */
    @Override
    public String toString() {
        return "HttpCall[method=" + method + ", url=" + url + ", headers="
                + headers.keySet().stream().sorted().toList() + ", body=" + body.length() + " characters, timeout="
                + timeout + "]";
    }
}
