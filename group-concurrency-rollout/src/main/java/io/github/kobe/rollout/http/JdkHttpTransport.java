package io.github.kobe.rollout.http;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Sends requests by the JDK's HTTP client. */
final class JdkHttpTransport implements HttpTransport {

    private static final Duration CONNECT = Duration.ofSeconds(5);

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(Redirect.NEVER)
            .build();

    @Override
    public int send(HttpCall call) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(call.url())
                .timeout(call.timeout())
                .method(call.method(), BodyPublishers.ofString(call.body()));
        call.headers().forEach(request::header);
        return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    }
}
