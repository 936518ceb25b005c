package io.github.kobe.rollout;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
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
    public Answer send(Call call) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(call.url())
                .method(
                        call.method(),
                        call.body().isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(call.body()));
        call.headers().forEach(request::setHeader);
        HttpResponse<InputStream> response = client.send(request.build(), BodyHandlers.ofInputStream());
        return Answer.read(
                response.statusCode(),
                response.headers().firstValue("Retry-After").orElse(null),
                response.body());
    }
}
