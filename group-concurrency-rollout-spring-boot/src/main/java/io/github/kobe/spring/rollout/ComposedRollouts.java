package io.github.kobe.spring.rollout;

import io.github.kobe.GroupExecutor;
import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.EndpointPolicy;
import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.PreviousConfig;
import io.github.kobe.rollout.RollbackHealthVerifier;
import io.github.kobe.rollout.RolloutEventSink;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.StageFactory;
import io.github.kobe.rollout.TaskWorkerFactory;
import io.github.kobe.rollout.WaveCheck;
import io.github.kobe.rollout.http.HttpStages;
import io.github.kobe.rollout.jdbc.JdbcRolloutStore;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.beans.factory.BeanFactory;

/** Makes rollouts from the settings and the application's beans. */
final class ComposedRollouts {

    private final BeanFactory beans;

    ComposedRollouts(BeanFactory beans) {
        this.beans = beans;
    }

    /** {@return rollouts that are closed still} */
    Rollouts over(GroupExecutor executor, RolloutDefaults defaults) {
        RolloutsBuilder builder = Rollouts.builder(executor);
        defaults.applyTo(builder);
        take(RolloutStore.class, store -> builder.store(checked(store, defaults)));
        take(CheckpointStore.class, builder::checkpoints);
        health(builder);
        take(EndpointPolicy.class, builder::endpointPolicy);
        take(PreviousConfig.class, builder::previous);
        take(MetricsRegistry.class, builder::metrics);
        take(RolloutEventSink.class, builder::sink);
        take(TaskWorkerFactory.class, builder::workers);
        take(WaveCheck.class, builder::waveCheck);
        stages(builder);
        take(RollbackHealthVerifier.class, builder::verifier);
        beans.getBeanProvider(RolloutsCustomizer.class).orderedStream().forEach(each -> each.customize(builder));
        return builder.buildClosed();
    }

    private <T> void take(Class<T> type, Consumer<T> use) {
        beans.getBeanProvider(type).ifAvailable(use);
    }

    /** The application's own store may lack what the starter's would have. */
    private RolloutStore checked(RolloutStore store, RolloutDefaults defaults) {
        if (store instanceof JdbcRolloutStore inDatabase) {
            defaults.requireApplication(inDatabase.application());
            if (inDatabase.codec().isEmpty()) {
                beans.getBeanProvider(ConfigCodec.class).stream().findFirst().ifPresent(ComposedRollouts::refuse);
            }
        }
        return store;
    }

    private static void refuse(ConfigCodec unused) {
        throw new IllegalStateException(
                "The ConfigCodec bean, " + unused.getClass().getName()
                        + ", isn't in force: the RolloutStore bean keeps configurations as they are. Make that with"
                        + " JdbcRolloutStore.withCodec(codec); or, if they are to be kept so, with"
                        + " ConfigCodec.none().");
    }

    private void health(RolloutsBuilder builder) {
        HealthCheckClient client =
                beans.getBeanProvider(HealthCheckClient.class).getIfAvailable();
        if (client != null) {
            builder.health(client);
        } else {
            take(HttpTransport.class, transport -> builder.health(HealthCheckClient.over(transport)));
        }
    }

    /** A factory decides alone: the stages that are beans may be what it makes its own of. */
    private void stages(RolloutsBuilder builder) {
        StageFactory factory = beans.getBeanProvider(StageFactory.class).getIfAvailable();
        List<Stage> stages = beans.getBeanProvider(Stage.class).orderedStream().toList();
        if (factory != null) {
            builder.stages(factory);
        } else if (!stages.isEmpty()) {
            builder.stages(stages);
        } else {
            builder.stages(HttpStages.configSwitch(
                    beans.getBeanProvider(HttpTransport.class).getIfAvailable(HttpTransport::jdk)));
        }
    }
}
