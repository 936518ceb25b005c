package io.github.kobe.spring.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.spring.internal.endpoint.EndpointProblem;
import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import io.github.kobe.testing.Deadline;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.dao.DataIntegrityViolationException;

/** What a request reads of the store, and which wave it approves, without a server. */
@Tag("R135")
class RolloutRequestsTests {

    private static final PlanId PLAN = PlanId.of("plan-x");

    private final AtomicLong read = new AtomicLong();
    private final GroupExecutor executor =
            GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    private final Rollouts rollouts = Rollouts.builder(executor)
            .store(counting(RolloutStore.inMemory()))
            .stages(Stage.named("Switch"))
            .build();
    private final RolloutsEndpoint endpoint = new RolloutsEndpoint(rollouts, event -> {});

    /**
     * Counts the tasks that are read outside of transactions, and refuses the character U+0000, as PostgreSQL does. What a
     * store can do is internal, but for its name.
     */
    private RolloutStore counting(RolloutStore store) {
        return (RolloutStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), store.getClass().getInterfaces(), (proxy, method, arguments) -> {
                    if (Arrays.toString(arguments).contains("\0")) {
                        throw new DataIntegrityViolationException("invalid byte sequence");
                    }
                    try {
                        Object result = method.invoke(store, arguments);
                        if (result instanceof List<?> list) {
                            read.addAndGet(list.stream()
                                    .filter(each ->
                                            each.getClass().getSimpleName().equals("TaskRecord"))
                                    .count());
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() {
        rollouts.close();
        executor.close();
    }

    private static String[] path() {
        return new String[] {PLAN.value()};
    }

    private static RolloutPlan.Builder plan(int tenants) {
        RolloutPlan.Builder plan = RolloutPlan.named(PLAN.value());
        for (int i = 0; i < tenants; i++) {
            plan.add(TenantChange.of("t" + i, DeployUnit.of(7, 42, "blue"), "{}"));
        }
        return plan;
    }

    private RolloutsReport.PlanWithTasks shown(String limit, String status, String tenant) {
        read.set(0);
        return (RolloutsReport.PlanWithTasks) endpoint.plan(path(), null, limit, status, tenant, null);
    }

    private Object answered(String action, String tenant, String wave) {
        read.set(0);
        try {
            return endpoint.operate(SecurityContext.NONE, path(), action, tenant, null, wave, null);
        } catch (RefusedRequestException refusal) {
            return refusal.toResponse().getBody();
        }
    }

    @Test
    @Tag("R48")
    void ofManyTasksOnlyThoseThatAreShownAreRead() {
        rollouts.create(plan(1_000).build());

        assertThat(shown(null, null, null).tasks()).hasSize(100);
        assertThat(read).hasValueGreaterThanOrEqualTo(100).hasValueLessThanOrEqualTo(101);
        RolloutsReport.PlanWithTasks waiting = shown("5", "PENDING", null);
        assertThat(waiting.tasks())
                .extracting(RolloutsReport.Task::tenant)
                .containsExactly("t0", "t1", "t2", "t3", "t4");
        assertThat(waiting.truncated()).isTrue();
        assertThat(read).hasValueLessThanOrEqualTo(6);
        assertThat(shown(null, "RUNNING", null).tasks()).isEmpty();
        assertThat(shown(null, "PENDING", "t999").tasks())
                .extracting(RolloutsReport.Task::tenant)
                .containsExactly("t999");
        assertThat(read).hasValueLessThanOrEqualTo(1);
        assertThat(shown(null, "RUNNING", "t999").tasks()).isEmpty();
        assertThat(shown(null, null, " ").tasks()).isEmpty();
    }

    @Test
    void toOperateOnATenantItsTasksAloneAreRead() {
        rollouts.start(plan(1_000).waves(1).approval(Duration.ofHours(1)).build());
        Deadline.until("the gate is there", () -> rollouts.plan(PLAN).gate() != null);

        assertThat(answered("cancel", "t999", null)).isInstanceOf(RolloutsReport.Operation.class);
        assertThat(read).hasValueLessThanOrEqualTo(3);
        assertThat(answered("cancel", "nobody", null))
                .isEqualTo(
                        new EndpointProblem("the plan has no such tenant", "tenant", "nobody", "a tenant of the plan"));
    }

    @Test
    @Tag("R48")
    void whatIsNoIdIsNotThere() {
        rollouts.create(plan(1).build());

        assertThat(shown(null, null, "t0\0").tasks()).isEmpty();
        RolloutEventsReport events = (RolloutEventsReport)
                endpoint.plan(new String[] {PLAN.value(), "events"}, null, null, null, "t0\0", null);
        assertThat(events.events()).isEmpty();
        assertThat(answered("cancel", "t0\0", null))
                .isEqualTo(
                        new EndpointProblem("the plan has no such tenant", "tenant", "t0\0", "a tenant of the plan"));
        assertThatExceptionOfType(RefusedRequestException.class)
                .isThrownBy(() -> endpoint.plan(new String[] {"plan-\0"}, null, null, null, null, null))
                .satisfies(refusal -> assertThat(refusal.toResponse().getBody())
                        .isEqualTo(
                                new EndpointProblem("there is no such plan", "plan", "plan-\0", "the id of a plan")));
    }

    @Test
    @Tag("R138")
    void anApprovalThatIsSentAgainIsRefusedAtTheNextGate() {
        rollouts.start(plan(3).waves(1, 1).approval(Duration.ofHours(1)).build());
        awaitGateAfter(1);
        assertThat(answered("approve", null, "1")).isInstanceOf(RolloutsReport.Operation.class);
        awaitGateAfter(2);

        assertThat(answered("approve", null, "1"))
                .isEqualTo(new EndpointProblem(
                        "plan plan-x waits for an approval of wave 2, not of wave 1",
                        "wave",
                        "1",
                        "2, after which the gate is"));
        assertThat(rollouts.plan(PLAN).gate().needsApproval()).isTrue();
    }

    private void awaitGateAfter(int wave) {
        Deadline.until("the gate after wave " + wave, () -> {
            PlanInfo plan = rollouts.plan(PLAN);
            return plan.wave() == wave && plan.gate() != null;
        });
    }
}
