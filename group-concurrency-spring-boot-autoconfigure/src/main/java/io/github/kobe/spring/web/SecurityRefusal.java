package io.github.kobe.spring.web;

import java.util.Set;

/**
 * What Spring Security's code throws so that its filters, which come before, refuse the request. It is an optional library,
 * so its exceptions are known by their names.
 */
final class SecurityRefusal {

    private static final String DENIAL = "org.springframework.security.access.AccessDeniedException";
    private static final Set<String> DENIALS = Set.of(DENIAL);
    private static final Set<String> REFUSALS =
            Set.of(DENIAL, "org.springframework.security.core.AuthenticationException");

    private SecurityRefusal() {}

    /** {@return whether a filter of the servlet stack refuses a request that has failed so, for whatever is in it} */
    static boolean isIn(Throwable failure) {
        return Causes.in(failure).anyMatch(each -> isA(each, REFUSALS));
    }

    /** {@return whether a filter of WebFlux refuses a request that has failed so} */
    static boolean isDenial(Throwable failure) {
        return isA(failure, DENIALS);
    }

    private static boolean isA(Throwable failure, Set<String> names) {
        Class<?> type = failure.getClass();
        while (type != null && !names.contains(type.getName())) {
            type = type.getSuperclass();
        }
        return type != null;
    }
}
