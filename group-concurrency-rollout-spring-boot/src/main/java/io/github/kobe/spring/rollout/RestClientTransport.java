package io.github.kobe.spring.rollout;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.kobe.rollout.HttpTransport;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** Sends requests by Spring's client, and so with the application's configuration of it. */
final class RestClientTransport implements HttpTransport {

    private final RestClient client;

    RestClientTransport(RestClient client) {
        this.client = client;
    }

    @Override
    public Answer send(Call call) throws IOException {
        HttpMethod method = HttpMethod.valueOf(call.method());
        RestClient.RequestBodySpec request = client.method(method)
                .uri(call.url())
                .headers(headers -> call.headers().forEach(headers::set));
        if (!method.equals(HttpMethod.GET)) {
            request.body(call.body().getBytes(UTF_8));
        }
        try {
            return request.exchange((sent, response) -> read(response));
        } catch (ResourceAccessException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e);
        }
    }

    private static Answer read(ClientHttpResponse response) throws IOException {
        return Answer.read(
                response.getStatusCode().value(),
                response.getHeaders().getFirst(HttpHeaders.RETRY_AFTER),
                response.getBody());
    }
}
