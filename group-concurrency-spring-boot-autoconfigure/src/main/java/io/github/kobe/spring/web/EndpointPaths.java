package io.github.kobe.spring.web;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;

/** Where the port of the application serves management endpoints. Apart, since the actuator may not be there. */
final class EndpointPaths {

    private final @Nullable PathMappedEndpoints endpoints;

    /**
     * @param beans has the endpoints
     */
    EndpointPaths(BeanFactory beans) {
        endpoints = beans.getBeanProvider(PathMappedEndpoints.class).getIfAvailable();
    }

    /** {@return the base path; if there is none, the path of each endpoint} */
    List<String> usual() {
        if (endpoints == null) {
            return List.of();
        }
        return endpoints.getBasePath().isEmpty()
                ? List.copyOf(endpoints.getAllPaths())
                : List.of(endpoints.getBasePath());
    }

    /** {@return further paths, as those of probes, which are there even if the endpoints have a port of their own} */
    List<String> additional() {
        List<String> paths = new ArrayList<>();
        if (endpoints != null) {
            endpoints.forEach(endpoint -> paths.addAll(endpoint.getAdditionalPaths(WebServerNamespace.SERVER)));
        }
        return paths;
    }
}
