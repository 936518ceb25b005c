package io.github.kobe.spring.rollout;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import io.github.kobe.rollout.HealthCheckClient;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** Checks health by Spring's client, and so with the application's configuration of it. */
final class RestClientHealthChecks implements HealthCheckClient {

    private static final TypeToken<Map<String, Object>> FIELDS = new TypeToken<>() {};

    private final RestClient client;
    private final Gson gson = new Gson();

    RestClientHealthChecks(RestClient client) {
        this.client = client;
    }

    /** Its caller has a thread for each question, and interrupts it when the time is up. */
    @Override
    public Map<String, Object> get(String url) throws IOException {
        try {
            return client.get()
                    .uri(URI.create(url))
                    .accept(MediaType.APPLICATION_JSON)
                    .exchange((request, response) -> fields(url, response));
        } catch (ResourceAccessException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e);
        }
    }

    private Map<String, Object> fields(String url, ClientHttpResponse response) throws IOException {
        if (!response.getStatusCode().is2xxSuccessful()) {
            throw new IOException(url + " answered with status "
                    + response.getStatusCode().value()
                    + (response.getStatusCode().is3xxRedirection() ? "; redirects are not followed" : ""));
        }
        try {
            Map<String, Object> fields = gson.fromJson(new InputStreamReader(response.getBody(), UTF_8), FIELDS);
            return fields == null ? Map.of() : fields;
        } catch (JsonParseException e) {
            throw new IOException(url + " didn't answer with a JSON object", e);
        }
    }
}
