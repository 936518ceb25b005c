package io.github.kobe.spring.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefreshAutoConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefresher;
import io.github.kobe.testing.Deadline;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

/** Limits over all instances that change while the application runs. */
@Tag("CL2")
class SharedLimitsRefreshTests {

    private static final String LIMIT = "group-concurrency.groups.a.cluster-max-in-flight";

    private final Map<String, Object> settings = new HashMap<>();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRefreshAutoConfiguration.class))
            .withBean(ClusterStore.class, ClusterStore::inMemory)
            .withPropertyValues("group-concurrency.cluster.on-store-loss=closed")
            .withInitializer(context ->
                    context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("live", settings)));

    private static int limit(GroupExecutor executor, String group) throws Exception {
        assertThat(Deadline.within(() -> executor.call(group, () -> "done"))).isEqualTo("done");
        return executor.groupStats(group)
                .orElseThrow()
                .cluster()
                .map(shared -> shared.limit().value())
                .orElse(0);
    }

    @Test
    @Tag("CL42")
    void aLimitComesChangesAndGoes() {
        settings.put(LIMIT, 3);
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            GroupConcurrencyRefresher refresher = context.getBean(GroupConcurrencyRefresher.class);
            assertThat(limit(executor, "a")).isEqualTo(3);
            assertThat(limit(executor, "b")).isZero();

            settings.put(LIMIT, 5);
            settings.put(LIMIT.replace(".a.", ".b."), 2);
            refresher.refresh();
            assertThat(limit(executor, "a")).isEqualTo(5);
            assertThat(limit(executor, "b")).isEqualTo(2);

            settings.clear();
            refresher.refresh();
            assertThat(limit(executor, "a")).isZero();
            assertThat(limit(executor, "b")).isZero();
        });
    }

    @Test
    @Tag("CL1")
    void theFirstLimitCannotComeLater() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            settings.put(LIMIT, 3);

            assertThatExceptionOfType(InvalidPolicyException.class)
                    .isThrownBy(() ->
                            context.getBean(GroupConcurrencyRefresher.class).refresh())
                    .withMessageContaining("clusterMaxInFlight of 'a'");
            assertThat(limit(executor, "a")).isZero();
        });
    }
}
