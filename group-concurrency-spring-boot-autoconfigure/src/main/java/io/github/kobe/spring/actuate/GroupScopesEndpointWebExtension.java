package io.github.kobe.spring.actuate;

import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/** {@link GroupScopesEndpoint} over HTTP, where a bad request is answered with the reason. */
@EndpointWebExtension(endpoint = GroupScopesEndpoint.class)
public class GroupScopesEndpointWebExtension {

    private final GroupScopesEndpoint endpoint;

    /**
     * Makes an extension.
     *
     * @param endpoint answers good requests
     */
    GroupScopesEndpointWebExtension(GroupScopesEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Shows the scopes of an executor.
     *
     * @param limit how many scopes to show at most, including those inside others, at least 1; none: 100
     * @param executor the executor's name; none: the default one
     * @return a {@link GroupScopesReport}, or a problem
     */
    @ReadOperation
    public WebEndpointResponse<Object> scopes(@Nullable String limit, @Nullable String executor) {
        try {
            return new WebEndpointResponse<>(endpoint.scopes(limit, executor));
        } catch (RefusedRequestException refusal) {
            return refusal.toResponse();
        }
    }
}
