package io.github.kobe.spring.internal.endpoint;

import io.github.kobe.spring.internal.settings.PrintableText;
import java.security.Principal;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.context.ApplicationEventPublisher;

/** Records who has changed what through an endpoint: in a line of the log, and as a Spring Boot audit event. */
public final class ChangeAudit {

    private final ApplicationEventPublisher events;
    private final String type;
    private final Log log;

    /**
     * Makes a record.
     *
     * @param events publishes the events
     * @param type their type
     * @param endpoint whose log it is
     */
    public ChangeAudit(ApplicationEventPublisher events, String type, Class<?> endpoint) {
        this.events = events;
        this.type = type;
        log = LogFactory.getLog(endpoint);
    }

    /**
     * {@return the name of a caller; empty: nobody knows}
     *
     * @param security the caller
     */
    public static String nameOf(SecurityContext security) {
        Principal principal = security.getPrincipal();
        return principal == null ? "" : principal.getName();
    }

    /**
     * Records a change.
     *
     * @param name the caller's; empty: nobody knows
     * @param what what was changed, for the log
     * @param data the same, for the event
     */
    public void changed(String name, String what, Map<String, Object> data) {
        log.info(PrintableText.inOneLine(
                what + ", by " + (name.isEmpty() ? "an unknown user" : "'" + PrintableText.ofKey(name) + "'")));
        events.publishEvent(new AuditApplicationEvent(new AuditEvent(name, type, data)));
    }
}
