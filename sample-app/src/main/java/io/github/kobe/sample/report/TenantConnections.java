package io.github.kobe.sample.report;

import io.github.kobe.spring.jdbc.ConnectionGroup;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.servlet.HandlerMapping;

/** Whom a connection is for: the tenant in the path of the request. What works for no request isn't limited. */
@Configuration(proxyBeanMethods = false)
class TenantConnections {

    @Bean
    ConnectionGroup tenants() {
        return TenantConnections::tenantOfTheRequest;
    }

    private static @Nullable String tenantOfTheRequest() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        Object variables = request == null
                ? null
                : request.getAttribute(
                        HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
        return variables instanceof Map<?, ?> map && map.get("tenant") instanceof String tenant ? tenant : null;
    }
}
