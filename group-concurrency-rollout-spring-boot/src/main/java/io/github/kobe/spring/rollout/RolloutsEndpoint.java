package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.Rollouts;
import io.github.kobe.spring.internal.endpoint.ChangeAudit;
import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import io.github.kobe.spring.internal.endpoint.RequestedValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.lang.Nullable;

/**
 * The endpoint {@code /actuator/rollouts}: shows plans and, if write access is enabled, operates on them.
 *
 * <p>Parameters are strings, so that a bad one can be refused with the reason. They have Spring's own
 * annotation, since Spring Boot 3 knows no other for optional parameters. Safe for use by many threads.
 */
@WebEndpoint(id = RolloutsEndpoint.ID, defaultAccess = Access.READ_ONLY)
public class RolloutsEndpoint {

    static final String ID = "rollouts";

    private static final String EVENTS = "events";

    /** The type of the audit event. */
    static final String EVENT_TYPE = "ROLLOUT_OPERATION";

    private final Rollouts rollouts;
    private final ChangeAudit audit;

    /**
     * Makes an endpoint.
     *
     * @param rollouts the rollouts that it shows
     * @param events publishes each operation, as an {@code AuditApplicationEvent}
     */
    public RolloutsEndpoint(Rollouts rollouts, ApplicationEventPublisher events) {
        this.rollouts = rollouts;
        audit = new ChangeAudit(events, EVENT_TYPE, RolloutsEndpoint.class);
    }

    /**
     * Shows the newest plans.
     *
     * @param limit how many to show at most, at least 1; none: 100
     * @return the plans
     * @throws RuntimeException as all operations do, if it is refused
     */
    @ReadOperation
    public RolloutsReport plans(@Nullable String limit) {
        int most = RequestedValue.limit(limit);
        return RolloutsReport.of(rollouts.plans(most == Integer.MAX_VALUE ? most : most + 1), most);
    }

    /**
     * Shows a plan, and tasks of it, or events of the plan.
     *
     * @param planInPath the rest of the path: the plan's id; then {@code events}, if they are to be shown
     * @param after the position after which the events begin, at least 0; none: 0
     * @param limit how many tasks to show at most, at least 1; none, or more: 100; how many events, from 1 to 1,000;
     *     none: 100
     * @param status only tasks in this state; none: in any
     * @param tenant only tasks of this tenant, or events of its task; none: of any
     * @param preview true: shows what the start of the plan would do, instead of everything else
     * @return a {@link RolloutsReport.PlanWithTasks}, {@link RolloutsReport.Preview} or {@link RolloutEventsReport}
     */
    @ReadOperation
    public Object plan(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] planInPath,
            @Nullable String after,
            @Nullable String limit,
            @Nullable String status,
            @Nullable String tenant,
            @Nullable String preview) {
        if (planInPath.length > 1) {
            String part = String.join("/", List.of(planInPath).subList(1, planInPath.length));
            if (!part.equals(EVENTS)) {
                throw RefusedRequestException.notFound("a plan has no such part", "part", part, EVENTS);
            }
            refuse("the plan itself", "status", status);
            refuse("the plan itself", "preview", preview);
            return new RolloutControl(rollouts, planInPath[0]).events(after, limit, tenant);
        }
        RolloutControl control = new RolloutControl(rollouts, planOf(planInPath));
        refuse(EVENTS, "after", after);
        return RequestedValue.flag("preview", preview, false) ? control.preview() : control.show(limit, status, tenant);
    }

    /**
     * Operates on a plan, or on a task of it.
     *
     * @param security the caller
     * @param planInPath the rest of the path, which is the plan's id
     * @param action start, pause, resume, cancel, cancelNow, rollback, rollbackFailed, retry, giveUp, approve or
     *     changeConcurrency
     * @param tenant the tenant whose task is meant; none: the plan
     * @param fromCheckpoint for a retry: true goes on with the stage that failed, false begins with the first; none: true
     * @param wave for an approval, which requires it: the wave that has ended
     * @param maxConcurrency for another limit, which requires it: how many tasks run at once, at least 1
     * @return what it has done
     */
    @WriteOperation
    public RolloutsReport.Operation operate(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] planInPath,
            @Nullable String action,
            @Nullable String tenant,
            @Nullable String fromCheckpoint,
            @Nullable String wave,
            @Nullable String maxConcurrency) {
        String planId = planOf(planInPath);
        RolloutAction wanted = RolloutAction.of(action);
        requireFor(RolloutAction.RETRY, wanted, "fromCheckpoint", fromCheckpoint);
        requireFor(RolloutAction.APPROVE, wanted, "wave", wave);
        requireFor(RolloutAction.CHANGE_CONCURRENCY, wanted, "maxConcurrency", maxConcurrency);
        boolean goesOn = RequestedValue.flag("fromCheckpoint", fromCheckpoint, true);
        int number = switch (wanted) {
            case APPROVE -> RequestedValue.wave(wave);
            case CHANGE_CONCURRENCY -> RequestedValue.maxConcurrency(maxConcurrency);
            default -> 0;
        };
        String name = ChangeAudit.nameOf(security);
        RolloutsReport.Operation done = new RolloutControl(name.isEmpty() ? rollouts : rollouts.by(name), planId)
                .want(wanted, tenant, goesOn, number);
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("plan", planId);
        told.put("action", wanted.text());
        if (tenant != null) {
            told.put("tenant", tenant);
        }
        if (wanted == RolloutAction.RETRY) {
            told.put("fromCheckpoint", goesOn);
        }
        if (wanted == RolloutAction.APPROVE) {
            told.put("wave", number);
        }
        if (wanted == RolloutAction.CHANGE_CONCURRENCY) {
            told.put("maxConcurrency", number);
        }
        audit.changed(name, "Rollout " + told, told);
        return done;
    }

    private static void requireFor(RolloutAction its, RolloutAction wanted, String name, @Nullable String text) {
        if (wanted != its) {
            refuse(its.text(), name, text);
        }
    }

    private static void refuse(String its, String name, @Nullable String text) {
        if (text != null) {
            throw RefusedRequestException.badRequest("it is for " + its + " alone", name, text, "none");
        }
    }

    private static String planOf(String[] path) {
        return RequestedValue.inPath("plan", path, "the id of a plan");
    }
}
