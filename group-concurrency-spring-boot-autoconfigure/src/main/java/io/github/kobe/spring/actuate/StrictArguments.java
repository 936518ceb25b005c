package io.github.kobe.spring.actuate;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Refuses requests with a parameter, or a field of their body, that our endpoint doesn't know or that occurs twice.
 * Spring Boot would ignore the first, so that a misspelt name shows another group or executor, and join the second.
 */
final class StrictArguments implements OperationInvokerAdvisor {

    private static final Set<EndpointId> ENDPOINTS = Set.of(
            EndpointId.of(
                    GroupExecutorEndpoint.class.getAnnotation(WebEndpoint.class).id()),
            EndpointId.of(GroupScopesEndpoint.ID),
            EndpointId.of(RolloutsEndpoint.ID));

    private static final Set<String> IN_PATHS =
            Set.of(GroupExecutorEndpoint.KEY_IN_PATH, RolloutsEndpoint.PLAN_IN_PATH);

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!ENDPOINTS.contains(endpoint)) {
            return invoker;
        }
        Set<String> known = parameters.stream()
                .filter(parameter -> parameter.getType() == String.class)
                .map(OperationParameter::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        return context -> {
            try {
                require(type == OperationType.WRITE ? "field" : "parameter", known, context);
            } catch (RefusedRequestException refusal) {
                return refusal.toResponse();
            }
            return invoker.invoke(context);
        };
    }

    private static void require(String kind, Set<String> known, InvocationContext context) {
        for (Map.Entry<String, Object> argument : context.getArguments().entrySet()) {
            String name = argument.getKey();
            String value = String.valueOf(argument.getValue());
            if (!known.contains(name)) {
                Set<String> fields = new TreeSet<>(known);
                fields.removeAll(IN_PATHS);
                throw RefusedRequestException.badRequest(
                        "there is no such " + kind, name, value, "one of " + String.join(", ", fields));
            }
            if (argument.getValue() instanceof Collection<?>) {
                throw RefusedRequestException.badRequest(
                        "the " + kind + " is given more than once", name, value, "one value");
            }
        }
    }
}
