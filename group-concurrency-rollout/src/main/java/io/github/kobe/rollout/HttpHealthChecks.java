package io.github.kobe.rollout;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.ToNumberPolicy;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

/** Checks health by HTTP, with the JDK's client, and reads JSON. */
final class HttpHealthChecks implements HealthCheckClient {

    private static final Duration CONNECT = Duration.ofSeconds(5);

    private static final TypeToken<Map<String, Object>> FIELDS = new TypeToken<>() {};

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(Redirect.NEVER)
            .build();
    /** A version is shown as the instance has written it: 41, not 41.0. */
    private final Gson gson = new GsonBuilder()
            .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
            .create();

    @Override
    public Map<String, Object> get(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Accept", "application/json")
                .build();
        HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw new IOException(url + " answered with status " + response.statusCode()
                    + (response.statusCode() / 100 == 3 ? "; redirects are not followed" : ""));
        }
        try {
            Map<String, Object> fields = gson.fromJson(response.body(), FIELDS);
            return fields == null ? Map.of() : fields;
        } catch (JsonParseException e) {
            throw new IOException(url + " didn't answer with a JSON object", e);
        }
    }
}
