package io.github.kobe.spring.rollout;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.kobe.rollout.http.HttpCall;
import io.github.kobe.rollout.http.HttpTransport;
import java.io.IOException;
import org.springframework.http.HttpMethod;
import org.springframework.web.client.RestClient;

/** Sends requests by Spring's client, and so with the application's configuration of it. */
final class RestClientTransport implements HttpTransport {

    private final RestClient client;

    RestClientTransport(RestClient client) {
        this.client = client;
    }

    @Override
    public int send(HttpCall call) throws IOException, InterruptedException {
        return TimedCall.within(
                call.timeout(),
                () -> client.method(HttpMethod.valueOf(call.method()))
                        .uri(call.url())
                        .headers(headers -> call.headers().forEach(headers::set))
                        .body(call.body().getBytes(UTF_8))
                        .exchange(
                                (request, response) -> response.getStatusCode().value()));
    }
}
