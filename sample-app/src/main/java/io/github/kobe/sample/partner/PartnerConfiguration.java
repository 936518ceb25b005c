package io.github.kobe.sample.partner;

import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/**
 * The partner and the way to it. The server is a plain bean, no lifecycle one: when the application stops, it goes on
 * answering until everything that may still ask it has ended.
 */
@Configuration(proxyBeanMethods = false)
class PartnerConfiguration {

    @Bean
    Pace partnerPace(@Value("${sample.partner.latency}") Duration latency) {
        return tenant ->
                new CompletableFuture<Void>().completeOnTimeout(null, latency.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Bean
    TrafficCount partnerTraffic() {
        return new TrafficCount();
    }

    /**
     * What the partner takes of the check of VAT numbers. It counts what arrives, and what is long on its way may arrive just
     * before what was sent later: so an honest partner takes its window somewhat shorter than its contract does.
     */
    @Bean
    Quota partnerVatQuota(
            @Value("${sample.partner.vat.limit}") int limit,
            @Value("${sample.partner.vat.per}") Duration per,
            @Value("${sample.partner.vat.tolerance}") Duration tolerance) {
        if (tolerance.compareTo(per) >= 0) {
            throw new IllegalArgumentException("sample.partner.vat.tolerance is " + tolerance
                    + "; allowed: less than sample.partner.vat.per, " + per);
        }
        return new Quota(limit, per.minus(tolerance), System::nanoTime);
    }

    @Bean
    PartnerServer partnerServer(
            @Value("${sample.partner.port}") int port,
            Pace pace,
            @Value("${sample.partner.archive-slower-by}") Duration archiveSlowerBy,
            @Value("${sample.partner.places}") int places,
            TrafficCount traffic,
            Quota vatQuota)
            throws IOException {
        return new PartnerServer(port, pace, archiveSlowerBy, places, traffic, vatQuota);
    }

    @Bean
    HttpClient partnerHttpClient() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    @Bean
    PartnerClient partnerClient(
            PartnerServer server, @Value("${sample.partner.address}") String address, HttpClient http) {
        return new PartnerClient(RestClient.builder()
                .baseUrl(address.isEmpty() ? server.address() : address)
                .requestFactory(new JdkClientHttpRequestFactory(http))
                .build());
    }
}
