package io.github.kobe.spring.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.DeployVersion;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.spring.internal.endpoint.EndpointProblem;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.jdbc.support.JdbcTransactionManager;

class RolloutHintsTests {

    private final RuntimeHints hints = new RuntimeHints();

    RolloutHintsTests() {
        new RolloutHints().registerHints(hints, getClass().getClassLoader());
        new RolloutsEndpointHints().registerHints(hints, getClass().getClassLoader());
        new ReflectiveRuntimeHintsRegistrar()
                .registerRuntimeHints(hints, GroupConcurrencyRolloutAutoConfiguration.class);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                GroupRolloutProperties.class,
                GroupRolloutProperties.Health.class,
                GroupRolloutProperties.Http.class,
                GroupRolloutProperties.Checkpoint.class,
                GroupRolloutProperties.Events.class
            })
    void aNativeImageFindsTheNamesOfTheSettings(Class<?> settings) {
        assertThat(settings.getRecordComponents())
                .allSatisfy(component -> assertThat(RuntimeHintsPredicates.reflection()
                                .onMethod(settings, component.getName())
                                .invoke())
                        .accepts(hints));
    }

    @Test
    void whatIsKeptAsJsonCanBeWrittenAndReadInANativeImage() {
        Stream<TypeReference> kept = Stream.concat(
                        Stream.of(DeployUnit.class, DeployVersion.class, FailureInfo.class),
                        Stream.of(Occurrence.class.getPermittedSubclasses()))
                .map(TypeReference::of);
        assertThat(Stream.concat(
                        kept,
                        Stream.of(
                                TypeReference.of("io.github.kobe.rollout.internal.rules.Waves"),
                                TypeReference.of("io.github.kobe.rollout.jdbc.TaskRows$Body"),
                                TypeReference.of("io.github.kobe.rollout.redis.RedisCheckpointStore$Entry"))))
                .allSatisfy(type -> assertThat(RuntimeHintsPredicates.reflection()
                                .onType(type)
                                .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
                        .accepts(hints));
    }

    @Test
    void theScriptsOfTheTablesAreThere() {
        assertThat(Stream.of("h2", "postgresql"))
                .allSatisfy(name -> assertThat(RuntimeHintsPredicates.resource()
                                .forResource("io/github/kobe/rollout/jdbc/" + name + "/V1__rollouts.sql"))
                        .accepts(hints));
    }

    @Test
    void aTransactionManagerCanBeAskedForItsDatabase() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(JdbcTransactionManager.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
    }

    @Test
    void theClientOfSpringBootCanBeToldNotToFollowRedirects() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(ClientHttpRequestFactoryBuilder.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
    }

    @Test
    void everyTypeOfAnAnswerCanBeSerialisedInANativeImage() {
        assertThat(Stream.of(
                        RolloutsReport.class,
                        RolloutsReport.Plan.class,
                        RolloutsReport.PlanWithTasks.class,
                        RolloutsReport.Task.class,
                        RolloutsReport.Unit.class,
                        RolloutsReport.Wanted.class,
                        RolloutsReport.Failure.class,
                        RolloutsReport.Gate.class,
                        RolloutsReport.Preview.class,
                        RolloutsReport.Tenant.class,
                        RolloutsReport.Operation.class,
                        RolloutEventsReport.class,
                        RolloutEventsReport.Event.class,
                        EndpointProblem.class))
                .allSatisfy(type -> assertThat(RuntimeHintsPredicates.reflection()
                                .onType(type)
                                .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
                        .accepts(hints));
    }
}
