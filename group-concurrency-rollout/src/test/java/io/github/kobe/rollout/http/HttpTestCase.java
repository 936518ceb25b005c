package io.github.kobe.rollout.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.rollout.TaskCreationException;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.http.Instance.Ill;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** The configuration switch against real servers. */
abstract class HttpTestCase {

    protected static final DeployUnit NEW = DeployUnit.of(7, 42, "blue");
    protected static final DeployUnit OLD = DeployUnit.of(7, 41, "green");
    protected static final String NEW_CONFIG = "{\"version\": 42}";
    protected static final String OLD_CONFIG = "{\"version\": 41}";

    private final GroupExecutor executor =
            GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    protected final List<Instance> instances = new ArrayList<>();
    protected final List<Duration> pauses = new CopyOnWriteArrayList<>();
    private final List<Rollouts> opened = new ArrayList<>();
    private int plans;

    @AfterEach
    void closeAll() {
        opened.forEach(Rollouts::close);
        instances.forEach(Instance::close);
        executor.close();
    }

    protected final Instance instance(Ill ill) {
        Instance instance = new Instance(ill);
        instances.add(instance);
        return instance;
    }

    protected final Rollouts rollouts(UnaryOperator<RolloutsBuilder> setup) {
        Rollouts rollouts = setup.apply(Rollouts.builder(executor)
                        .stages(new HttpStages(HttpTransport.jdk(), pauses::add))
                        .setting("health.timeout", "10s"))
                .build();
        opened.add(rollouts);
        return rollouts;
    }

    protected static TenantChange change(String... urls) {
        return TenantChange.of("acme", NEW, NEW_CONFIG)
                .previous(OLD, OLD_CONFIG)
                .endpoints(urls);
    }

    protected static TenantChange change(Instance... instances) {
        return change(Arrays.stream(instances).map(Instance::url).toArray(String[]::new));
    }

    protected final TaskInfo ran(Rollouts rollouts, TenantChange change) throws InterruptedException {
        plans++;
        PlanInfo plan =
                rollouts.start(RolloutPlan.named("plan-" + plans).add(change).build());
        assertThat(rollouts.await(plan.planId(), Deadline.LONG).status().isSettled())
                .isTrue();
        return rollouts.task(TenantId.of("acme"));
    }

    protected static String message(TaskInfo task) {
        assertThat(task.failure()).as("failure of %s", task).isNotNull();
        return task.failure().message();
    }

    /** {@return what is said of a change that can't be part of a plan} */
    protected final String refusal(TenantChange change) {
        Rollouts rollouts = rollouts(builder -> builder);
        RolloutPlan plan = RolloutPlan.named("plan-refused").add(change).build();
        TaskCreationException refusal = catchThrowableOfType(TaskCreationException.class, () -> rollouts.create(plan));
        assertThat(refusal).isNotNull();
        return refusal.getMessage();
    }
}
