package io.github.kobe.sample.rollout;

import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanNotFoundException;
import io.github.kobe.rollout.RolloutException;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.TaskInfo;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** Starts rollouts and shows how far they are. Whatever else one wants of them goes to the endpoint {@code rollouts}. */
@RestController
@RequestMapping("/rollouts")
@Profile("rollout")
class RolloutController {

    private final Rollouts rollouts;
    private final RestClient fleet;

    RolloutController(Rollouts rollouts, @Value("${sample.rollout.fleet}") String fleet) {
        this.rollouts = rollouts;
        this.fleet = RestClient.create(fleet);
    }

    /** Brings the whole fleet to a version. */
    @PostMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    String start(@RequestParam String plan, @RequestParam long version) {
        FleetTenant[] tenants =
                Objects.requireNonNull(fleet.get().uri("/tenants").retrieve().body(FleetTenant[].class));
        RolloutPlan.Builder change = RolloutPlan.named(plan);
        Arrays.stream(tenants).forEach(tenant -> change.add(tenant.to(version)));
        return show(rollouts.start(change.build()).planId());
    }

    @GetMapping("/{plan}")
    String show(@PathVariable String plan) {
        return show(PlanId.of(plan));
    }

    @ExceptionHandler({RolloutException.class, IllegalArgumentException.class, ResourceAccessException.class})
    ProblemDetail refused(RuntimeException refusal) {
        HttpStatus status = switch (refusal) {
            case PlanNotFoundException unknown -> HttpStatus.NOT_FOUND;
            case RolloutException notNow -> HttpStatus.CONFLICT;
            case ResourceAccessException noFleet -> HttpStatus.SERVICE_UNAVAILABLE;
            default -> HttpStatus.BAD_REQUEST;
        };
        return ProblemDetail.forStatusAndDetail(status, refusal.getMessage());
    }

    private String show(PlanId plan) {
        return rollouts.tasks(plan).stream()
                .map(RolloutController::line)
                .collect(Collectors.joining("", plan + " " + rollouts.plan(plan).status() + "\n", ""));
    }

    private static String line(TaskInfo task) {
        return String.format(
                                Locale.ROOT,
                                "%-13s %-15s %d of %d  %s",
                                task.tenantId(),
                                task.status(),
                                task.completedStages(),
                                task.totalStages(),
                                remark(task))
                        .stripTrailing()
                + "\n";
    }

    private static String remark(TaskInfo task) {
        FailureInfo failure = task.failure();
        return switch (task.status()) {
            case RUNNING, PAUSED -> Objects.requireNonNullElse(task.stage(), "");
            case FAILED, ROLLBACK_FAILED -> failure == null ? "" : failure.message();
            default -> "";
        };
    }
}
