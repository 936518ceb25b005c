package io.github.kobe.sample.partner;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/** Asks the partner. */
public final class PartnerClient {

    /** What the partner says of a VAT number that there is. */
    static final String VALID = "valid";

    private static final ParameterizedTypeReference<Map<String, BigDecimal>> RATES =
            new ParameterizedTypeReference<>() {};

    private final RestClient http;

    PartnerClient(RestClient http) {
        this.http = http;
    }

    /**
     * Asks for exchange rates; takes as long as the partner takes.
     *
     * @param tenant on whose behalf
     * @return what one unit of each currency is worth in dollars
     */
    public Map<String, BigDecimal> rates(String tenant) {
        return Objects.requireNonNull(
                http.get().uri("/rates/{tenant}", tenant).retrieve().body(RATES));
    }

    /**
     * Gets a document from the archive, which takes longer than anything else.
     *
     * @param tenant whose
     * @param number which
     * @return the document
     */
    public String document(String tenant, int number) {
        return Objects.requireNonNull(http.get()
                .uri("/archive/{tenant}?number={number}", tenant, number)
                .retrieve()
                .body(String.class));
    }

    /**
     * Asks whether a VAT number is valid. The partner has a quota for that, over all tenants.
     *
     * @param tenant on whose behalf
     * @param number which
     * @return whether it is
     * @throws HttpClientErrorException.TooManyRequests if the quota is used up
     */
    public boolean isVatNumber(String tenant, String number) {
        return VALID.equals(http.get()
                .uri("/vat/{tenant}?number={number}", tenant, number)
                .retrieve()
                .body(String.class));
    }

    /**
     * Asks one service about a tenant; takes as long as that takes.
     *
     * @param service bank, register or court
     * @param tenant about whom
     * @param slow the service that is to take its time
     * @return what it says
     */
    public String ask(String service, String tenant, String slow) {
        return Objects.requireNonNull(http.get()
                .uri("/{service}/{tenant}?slow={slow}", service, tenant, slow)
                .retrieve()
                .body(String.class));
    }
}
