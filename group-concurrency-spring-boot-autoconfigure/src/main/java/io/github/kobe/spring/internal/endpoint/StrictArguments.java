package io.github.kobe.spring.internal.endpoint;

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
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;

/**
 * Refuses requests with a parameter, or a field of their body, that an endpoint doesn't know or that occurs twice.
 * Spring Boot would ignore the first, so that a misspelt name shows another group or executor, and join the second.
 * Over HTTP, these and the requests that the endpoint itself refuses are answered with the problem.
 *
 * <p>What the path names is an array, which only the path can give. Spring Boot lets a field or a parameter of the same
 * name replace it, but by a text or a list.
 */
public final class StrictArguments implements OperationInvokerAdvisor {

    private final EndpointId strict;

    /**
     * Makes an advisor.
     *
     * @param endpoint the id of the endpoint
     */
    public StrictArguments(String endpoint) {
        strict = EndpointId.of(endpoint);
    }

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(strict)) {
            return invoker;
        }
        Set<String> known = parameters.stream()
                .filter(parameter -> parameter.getType() == String.class)
                .map(OperationParameter::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        return context -> {
            try {
                require(type == OperationType.WRITE ? "field" : "parameter", known, context);
                return invoker.invoke(context);
            } catch (RefusedRequestException refusal) {
                if (context.canResolve(WebServerNamespace.class)) {
                    return refusal.toResponse();
                }
                throw refusal;
            }
        };
    }

    private void require(String kind, Set<String> known, InvocationContext context) {
        for (Map.Entry<String, Object> argument : context.getArguments().entrySet()) {
            if (argument.getValue() instanceof String[]) {
                continue;
            }
            String name = argument.getKey();
            String value = String.valueOf(argument.getValue());
            if (!known.contains(name)) {
                throw RefusedRequestException.badRequest(
                        "there is no such " + kind, name, value, "one of " + String.join(", ", known));
            }
            if (argument.getValue() instanceof Collection<?>) {
                throw RefusedRequestException.badRequest(
                        "the " + kind + " is given more than once", name, value, "one value");
            }
        }
    }
}
