package io.github.kobe.spring.client;

import io.github.kobe.GroupPermit;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response whose call holds its permit until this is closed. */
final class LimitedResponse implements ClientHttpResponse {

    private final ClientHttpResponse response;
    private final GroupPermit permit;

    LimitedResponse(ClientHttpResponse response, GroupPermit permit) {
        this.response = response;
        this.permit = permit;
    }

    @Override
    public HttpStatusCode getStatusCode() throws IOException {
        return response.getStatusCode();
    }

    @Override
    public String getStatusText() throws IOException {
        return response.getStatusText();
    }

    @Override
    public HttpHeaders getHeaders() {
        return response.getHeaders();
    }

    @Override
    public InputStream getBody() throws IOException {
        return response.getBody();
    }

    @Override
    public void close() {
        try {
            response.close();
        } finally {
            permit.close();
        }
    }
}
