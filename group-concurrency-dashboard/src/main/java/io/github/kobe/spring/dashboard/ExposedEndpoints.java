package io.github.kobe.spring.dashboard;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.ExposableEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.web.context.WebApplicationContext;

/** What the page has to know about the endpoints that it uses. */
final class ExposedEndpoints {

    private static final String GROUPS = "groupexecutor";
    private static final String SCOPES = "groupscopes";
    private static final String ROLLOUTS = "rollouts";

    private final DashboardPath page;
    private final ApplicationContext application;
    private final @Nullable PathMappedEndpoints endpoints;
    private final Collection<String> executors;

    /**
     * @param page where the page is
     * @param application tells the port of the endpoints, and what is before their path
     * @param endpoints those that are exposed; {@code null}: none are
     * @param executors the names of the executors, with the one first that is meant without a name
     */
    ExposedEndpoints(
            DashboardPath page,
            ApplicationContext application,
            @Nullable PathMappedEndpoints endpoints,
            Collection<String> executors) {
        this.page = page;
        this.application = application;
        this.endpoints = endpoints;
        this.executors = executors;
    }

    /** {@return the names of executors and, by what each shows, where the exposed endpoints are and if they take changes} */
    Map<String, Object> settings() {
        Environment environment = application.getEnvironment();
        ManagementPortType port = ManagementPortType.get(environment);
        if (port == ManagementPortType.DISABLED) {
            throw page.notExposed(
                    "there is no port for endpoints", "false, or a management.server.port that is not negative");
        }
        String before = port == ManagementPortType.SAME && application instanceof WebApplicationContext
                ? environment.getProperty("spring.mvc.servlet.path", "").replaceAll("/+$", "")
                : "";
        Map<String, Object> groups = find(GROUPS, before);
        if (groups == null) {
            throw page.notExposed(
                    "the endpoint " + GROUPS + " is not exposed over HTTP",
                    "false, or " + GROUPS + " in management.endpoints.web.exposure.include, and nothing that takes"
                            + " it away: exclude, an access of none, no GroupExecutor");
        }
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("executors", List.copyOf(executors));
        settings.put("groups", groups);
        settings.put("scopes", find(SCOPES, before));
        settings.put("rollouts", find(ROLLOUTS, before));
        return settings;
    }

    private @Nullable Map<String, Object> find(String id, String before) {
        EndpointId endpoint = EndpointId.of(id);
        String path = endpoints == null ? null : endpoints.getPath(endpoint);
        if (endpoints == null || path == null) {
            return null;
        }
        page.requireOutside(before + path);
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("address", page.addressOf(before + path));
        found.put(
                "writable",
                endpoints.getEndpoint(endpoint) instanceof ExposableEndpoint<?> exposed
                        && exposed.getOperations().stream().anyMatch(ExposedEndpoints::isWrite));
        return found;
    }

    private static boolean isWrite(Object operation) {
        return operation instanceof WebOperation web
                && web.getRequestPredicate().getHttpMethod() == WebEndpointHttpMethod.POST;
    }
}
