package io.github.kobe.rollout;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.ToNumberPolicy;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Checks health by HTTP, and reads JSON. */
final class HttpHealthChecks implements HealthCheckClient {

    private static final TypeToken<Map<String, Object>> FIELDS = new TypeToken<>() {};

    private final HttpTransport transport;
    /** A version is shown as the instance has written it: 41, not 41.0. */
    private final Gson gson = new GsonBuilder()
            .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
            .create();

    HttpHealthChecks(HttpTransport transport) {
        this.transport = Objects.requireNonNull(transport, "transport");
    }

    @Override
    public Map<String, Object> get(String url) throws IOException, InterruptedException {
        return get(url, Map.of());
    }

    @Override
    public Map<String, Object> get(String url, Map<String, String> headers) throws IOException, InterruptedException {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.put("Accept", "application/json");
        all.putAll(headers);
        HttpTransport.Call call = new HttpTransport.Call("GET", URI.create(url), all, "");
        HttpTransport.Answer answer = transport.send(call);
        if (answer.status() / 100 != 2) {
            throw new IOException(call.url() + " answered with status " + answer.status()
                    + (answer.status() / 100 == 3 ? "; redirects are not followed" : ""));
        }
        try {
            Map<String, Object> fields = gson.fromJson(answer.body(), FIELDS);
            return fields == null ? Map.of() : fields;
        } catch (JsonParseException e) {
            throw new IOException(call.url() + " didn't answer with a JSON object", e);
        }
    }
}
