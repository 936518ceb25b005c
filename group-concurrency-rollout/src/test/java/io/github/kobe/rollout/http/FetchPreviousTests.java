package io.github.kobe.rollout.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.http.Instance.Ill;
import io.github.kobe.testing.Deadline;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A first rollout whose instances are asked what they run. */
@Tag("R153")
class FetchPreviousTests extends HttpTestCase {

    private static final String OLDER = "{\"version\":\"40\",\"name\":\"\u00fc\"}";

    private static TenantChange first(Instance... instances) {
        return TenantChange.of("acme", NEW, NEW_CONFIG)
                .endpoints(Arrays.stream(instances).map(Instance::url).toArray(String[]::new));
    }

    private Rollouts fetching() {
        return rollouts(builder -> builder.setting("http.fetch-previous", "true"));
    }

    private Instance running(String config, int status) {
        Instance instance = instance(Ill.WELL);
        instance.run(config, status);
        return instance;
    }

    @Test
    @Tag("R71")
    void aRollbackRestoresWhatTheInstancesRan() throws Exception {
        Instance one = running(OLDER, 200);
        Instance two = running(OLDER, 200);
        one.answerWith("{\"version\":\"%s\"}");
        two.answerWith("{\"version\":%s.0}");
        Rollouts rollouts = fetching();

        TaskInfo task = ran(rollouts, first(one, two));
        assertThat(task.status()).as("%s", task.failure()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(task.previous()).isEqualTo(DeployUnit.of(NEW.version().unitId(), 40, "previous"));
        for (Instance instance : instances) {
            assertThat(instance.requests())
                    .containsExactly(
                            "GET /config", "GET /health", "PUT /config", "POST /config/refresh", "GET /health");
        }
        assertThat(one.keys()).hasSize(2);

        rollouts.rollback(task.planId());
        assertThat(rollouts.await(task.planId(), Deadline.LONG).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(one.loaded()).isEqualTo(OLDER);
        assertThat(two.loaded()).isEqualTo(OLDER);
    }

    @Test
    void nothingIsFetchedByDefault() throws Exception {
        Instance instance = instance(Ill.WELL);
        TaskInfo task = ran(rollouts(builder -> builder), first(instance));

        assertThat(task.previous()).isNull();
        assertThat(instance.requests()).doesNotContain("GET /config");
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 204})
    void instancesThatHaveNothingAreSwitched(int status) throws Exception {
        Rollouts rollouts = fetching();
        TaskInfo task = ran(rollouts, first(running(OLD_CONFIG, status), running(OLD_CONFIG, status)));

        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(task.previous()).isNull();
    }

    /** No part of these versions is a part of a port, which the message names. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        200 | {"version":987641} | 200 | {"version":987640} | the instances have different configurations
        200 | {"version":987641} | 404 |                    | the instances have different configurations
        200 | {"version":987641} | 503 |                    | was answered with status 503
        200 | {}                 | 200 | {}                 | no field 'version'
        """)
    void whatCantBeRestoredIsNotChanged(int status, String config, int otherStatus, String other, String told)
            throws Exception {
        Instance one = running(config, status);
        Instance two = running(other == null ? "" : other, otherStatus);
        one.answerWith(config.equals("{}") ? "{}" : "{\"version\":%s}");
        two.answerWith(config.equals("{}") ? "{}" : "{\"version\":%s}");

        TaskInfo task = ran(fetching(), first(one, two));

        assertThat(task.failure().errorType()).isEqualTo("NO_PREVIOUS");
        assertThat(message(task)).contains(told).doesNotContain("98764");
        assertThat(one.requests()).doesNotContain("PUT /config");
        assertThat(two.requests()).doesNotContain("PUT /config");
    }

    @Test
    @Tag("R115")
    void anythingElseThanTrueAndFalseIsRefused() {
        assertThat(refusal(change("http://h").setting("http.fetch-previous", "yes")))
                .contains("tenant 'acme': http.fetch-previous is 'yes'; it must be true or false");
    }
}
