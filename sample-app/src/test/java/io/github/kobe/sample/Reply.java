package io.github.kobe.sample;

import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An answer of the application. */
record Reply(int status, String contentType, String body, HttpResponse<String> response) {

    private static final JsonMapper JSON = new JsonMapper();

    static Reply of(HttpResponse<String> response) {
        String contentType = response.headers().firstValue("Content-Type").orElse("");
        return new Reply(response.statusCode(), contentType, response.body(), response);
    }

    JsonNode json() {
        return JSON.readTree(body);
    }

    String header(String name) {
        return response.headers().firstValue(name).orElseThrow();
    }
}
