package io.github.kobe.spring.actuate;

import io.github.kobe.spring.internal.settings.PrintableText;
import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.context.ApplicationEventPublisher;

/** Records who has changed what through an endpoint: in a line of the log, and as a Spring Boot audit event. */
final class ChangeAudit {

    /** The type of the event. */
    static final String EVENT_TYPE = "GROUP_EXECUTOR_CHANGE";

    private static final Log LOGGER = LogFactory.getLog(GroupExecutorEndpoint.class);

    private final ApplicationEventPublisher events;

    ChangeAudit(ApplicationEventPublisher events) {
        this.events = events;
    }

    void changed(
            SecurityContext security,
            String executorName,
            String groupKey,
            String action,
            Map<String, String> limits,
            @Nullable String period) {
        Principal principal = security.getPrincipal();
        String name = principal == null ? "" : principal.getName();
        LOGGER.info(PrintableText.inOneLine("Group '" + PrintableText.ofKey(groupKey) + "' of " + executorName + ": "
                + action + (limits.isEmpty() ? "" : " " + limits) + (period == null ? "" : " for " + period) + ", by "
                + (name.isEmpty() ? "an unknown user" : "'" + PrintableText.ofKey(name) + "'")));
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("executor", executorName);
        data.put("group", groupKey);
        data.put("action", action);
        if (!limits.isEmpty()) {
            data.put("limits", new LinkedHashMap<>(limits));
        }
        if (period != null) {
            data.put("period", period);
        }
        events.publishEvent(new AuditApplicationEvent(new AuditEvent(name, EVENT_TYPE, data)));
    }
}
