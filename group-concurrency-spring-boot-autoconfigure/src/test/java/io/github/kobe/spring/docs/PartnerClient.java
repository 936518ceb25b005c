package io.github.kobe.spring.docs;

import io.github.kobe.spring.annotation.GroupConcurrent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.client.RestClient;

/** What the howto on partners shows. */
@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the fallback, found by its name
class PartnerClient {

    private final RestClient rest = RestClient.create();
    private final HttpClient http = HttpClient.newHttpClient();

    @GroupConcurrent(group = "partner:#{#partner.host}", fallbackMethod = "noQuote")
    public String quote(URI partner, String article) {
        return rest.get().uri(partner.resolve("/quotes/" + article)).retrieve().body(String.class);
    }

    private String noQuote(URI partner, String article) {
        return "no quote at the moment";
    }

    @GroupConcurrent(group = "partner:#{#partner.host}")
    public CompletableFuture<String> quoteLater(URI partner, String article) {
        HttpRequest request =
                HttpRequest.newBuilder(partner.resolve("/quotes/" + article)).build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body);
    }
}
