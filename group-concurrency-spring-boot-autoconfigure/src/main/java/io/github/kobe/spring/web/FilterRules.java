package io.github.kobe.spring.web;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** The rules of the filter in their order; the paths of the management endpoints and of the live page are left alone. */
final class FilterRules {

    private final List<FilterRule> rules;
    private final List<PathPattern> operators;

    /**
     * @param rules in their order
     * @param operators the paths that no rule is for
     */
    FilterRules(List<FilterRule> rules, List<PathPattern> operators) {
        this.rules = List.copyOf(rules);
        this.operators = List.copyOf(operators);
    }

    /** {@return the first rule that is for a path, within the application} */
    @Nullable
    FilterRule find(PathContainer path) {
        for (PathPattern own : operators) {
            if (own.matches(path)) {
                return null;
            }
        }
        for (FilterRule rule : rules) {
            if (rule.isFor(path)) {
                return rule;
            }
        }
        return null;
    }

    /**
     * Finds the paths of the management endpoints and of the live page, where they are on the port of the application.
     *
     * @return nothing where they can't be told from those of the application
     */
    static List<PathPattern> operators(Environment environment) {
        boolean there = ClassUtils.isPresent(
                "org.springframework.boot.actuate.endpoint.annotation.Endpoint", FilterRules.class.getClassLoader());
        if (!there || !isOnPortOfApplication(environment)) {
            return List.of();
        }
        List<String> paths = new ArrayList<>();
        paths.add(environment.getProperty("management.endpoints.web.base-path", "/actuator"));
        if (environment.getProperty("group-concurrency.dashboard.enabled", Boolean.class, false)) {
            paths.add(environment.getProperty("group-concurrency.dashboard.path", "/group-concurrency"));
        }
        return paths.stream()
                .map(path -> path.replaceAll("^/+|/+$", ""))
                .filter(path -> !path.isEmpty())
                .map(path -> PathPatternParser.defaultInstance.parse("/" + path + "/**"))
                .toList();
    }

    /** 0 is any free port, and so another one each time. */
    private static boolean isOnPortOfApplication(Environment environment) {
        String port = environment.getProperty("management.server.port", "");
        return port.isEmpty() || (!port.equals("0") && port.equals(environment.getProperty("server.port", "8080")));
    }
}
