package io.github.kobe.sample.fleet;

import com.sun.net.httpserver.Headers;

/**
 * Who wants something of a server.
 *
 * @param key says which of two requests are the same one
 * @param token grows with each rollout of the tenant, and whenever another node has taken one over
 */
record Order(String key, long token) {

    static Order of(Headers headers) {
        String token = headers.getFirst("Rollout-Token");
        String key = headers.getFirst("Idempotency-Key");
        return new Order(key == null ? "" : key, token == null ? 0 : Long.parseLong(token));
    }
}
