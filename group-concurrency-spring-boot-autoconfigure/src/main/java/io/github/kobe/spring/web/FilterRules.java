package io.github.kobe.spring.web;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** The rules of the filter in their order; the paths of the management endpoints are left alone. */
final class FilterRules {

    private final List<FilterRule> rules;
    private final @Nullable PathPattern management;

    /**
     * @param rules in their order
     * @param management the paths that no rule is for; {@code null}: there are none
     */
    FilterRules(List<FilterRule> rules, @Nullable PathPattern management) {
        this.rules = List.copyOf(rules);
        this.management = management;
    }

    /** {@return the first rule that is for a path, within the application} */
    @Nullable
    FilterRule find(PathContainer path) {
        if (management != null && management.matches(path)) {
            return null;
        }
        for (FilterRule rule : rules) {
            if (rule.isFor(path)) {
                return rule;
            }
        }
        return null;
    }

    /**
     * Finds the paths of the management endpoints, where they are on the port of the application.
     *
     * @return {@code null} if there are none, or they can't be told from those of the application
     */
    static @Nullable PathPattern management(Environment environment) {
        boolean there = ClassUtils.isPresent(
                "org.springframework.boot.actuate.endpoint.annotation.Endpoint", FilterRules.class.getClassLoader());
        String base = environment
                .getProperty("management.endpoints.web.base-path", "/actuator")
                .replaceAll("^/+|/+$", "");
        return there && !base.isEmpty() && isOnPortOfApplication(environment)
                ? PathPatternParser.defaultInstance.parse("/" + base + "/**")
                : null;
    }

    /** 0 is any free port, and so another one each time. */
    private static boolean isOnPortOfApplication(Environment environment) {
        String port = environment.getProperty("management.server.port", "");
        return port.isEmpty() || (!port.equals("0") && port.equals(environment.getProperty("server.port", "8080")));
    }
}
