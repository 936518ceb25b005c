package io.github.kobe.rollout.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.rollout.EndpointPolicy;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskCreationException;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.http.Instance.Ill;
import io.github.kobe.testing.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whom the application lets rollouts call. */
@Tag("R151")
class EndpointPolicyTests extends HttpTestCase {

    private volatile EndpointPolicy policy = EndpointPolicy.allowAll();

    private Rollouts rollouts() {
        return rollouts(builder -> builder.endpointPolicy(endpoint -> policy.refusal(endpoint)));
    }

    private static EndpointPolicy refusing(String text) {
        return endpoint -> endpoint.url().contains(text) ? Optional.of("not that one") : Optional.empty();
    }

    @Test
    @Tag("R115")
    void endpointsThatAreRefusedAreErrorsOfTheirTenantsAtTheCreation() {
        policy = refusing("169.254.");
        RolloutPlan plan = RolloutPlan.named("plan-x")
                .add(TenantChange.of("a", NEW, "{}").endpoints("http://169.254.169.254", "http://h"))
                .add(TenantChange.of("b", NEW, "{}").endpoints("http://h"))
                .add(TenantChange.of("c", NEW, "{}").endpoints("http://ann:secret@169.254.169.254:80/x", "h"))
                .build();
        Rollouts rollouts = rollouts();

        TaskCreationException refusal = catchThrowableOfType(TaskCreationException.class, () -> rollouts.create(plan));

        assertThat(refusal.errors())
                .containsExactly(
                        "tenant 'a': endpoint http://169.254.169.254 is refused: not that one",
                        "tenant 'c': endpoint http://169.254.169.254:80/x is refused: not that one",
                        "tenant 'c': endpoint is 'h'; it must be a URL with a scheme and a host");
    }

    @Test
    void aPolicyThatCantTellRefuses() {
        policy = endpoint -> {
            throw new IllegalStateException("no name server");
        };
        RolloutPlan plan = RolloutPlan.named("plan-x").add(change("http://h")).build();
        Rollouts rollouts = rollouts();

        assertThat(catchThrowableOfType(TaskCreationException.class, () -> rollouts.create(plan))
                        .errors())
                .containsExactly("tenant 'acme': no name server");
    }

    @Test
    void beforeEachRequestItIsAskedForItsUrl() throws Exception {
        Instance instance = instance(Ill.WELL);
        List<String> asked = new CopyOnWriteArrayList<>();
        policy = endpoint -> {
            asked.add(endpoint.url());
            return Optional.empty();
        };
        Rollouts rollouts = rollouts();

        TaskInfo task = ran(rollouts, change(instance.url()));
        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(asked)
                .containsExactly(
                        instance.url(),
                        instance.url() + "/config",
                        instance.url() + "/config/refresh",
                        instance.url() + "/health");

        policy = refusing("/config/refresh");
        rollouts.rollback(task.planId());
        assertThat(rollouts.await(task.planId(), Deadline.LONG).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(instance.requests())
                .filteredOn(request -> request.startsWith("POST"))
                .hasSize(1);
    }

    @Test
    void nothingIsSentToAnInstanceThatIsRefusedLaterAndTheOthersAreSwitched() throws Exception {
        Instance refused = instance(Ill.WELL);
        Instance well = instance(Ill.WELL);
        policy = refusing(refused.url() + "/config");

        TaskInfo task = ran(rollouts(), change(refused, well));

        assertThat(message(task))
                .isEqualTo("PUT " + refused.url() + "/config failed: java.lang.SecurityException: endpoint "
                        + refused.url() + "/config is refused: not that one");
        assertThat(refused.requests()).isEmpty();
        assertThat(well.requests()).containsExactly("PUT /config");
    }

    @Test
    void theHealthOfWhoIsRefusedIsNotAsked() throws Exception {
        Instance instance = instance(Ill.WELL);
        policy = refusing("/health");
        for (TenantChange change : List.of(
                change(instance),
                change(new String[0])
                        .setting("target-ip", "127.0.0.1")
                        .setting(
                                "target-port",
                                Integer.toString(
                                        NetworkEndpoint.of(instance.url()).port())))) {
            TaskInfo task = ran(rollouts(), change.setting("health.max-attempts", "2"));

            assertThat(task.stage()).isEqualTo("HealthCheck");
            assertThat(message(task)).contains("endpoint " + instance.url() + "/health is refused: not that one");
        }
        assertThat(instance.requests()).containsExactly("PUT /config", "POST /config/refresh");
    }

    @Test
    void aStepOfOnesOwnIsGivenNoEndpointThatIsRefused() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.endpointPolicy(endpoint -> policy.refusal(endpoint))
                .stages(Stage.named("Own").step(context -> {
                    policy = refusing("h2");
                    context.endpoints();
                })));

        TaskInfo task = ran(rollouts, change("http://h1", "http://h2"));

        assertThat(task.failure().errorType()).isEqualTo("SecurityException");
        assertThat(message(task)).isEqualTo("endpoint http://h2 is refused: not that one");
    }
}
