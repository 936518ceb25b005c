package io.github.kobe.rollout.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.testing.Markdown;
import io.github.kobe.testing.ModuleArchitecture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class ArchitectureTests extends ModuleArchitecture {

    private static final int MOST_LINES = 400;

    /** Each operation is a method of it, which hands on; the rest is their Javadoc. */
    private static final int MOST_LINES_OF_ROLLOUTS = 450;

    /** They wire what is internal; all else of the API is a value, or what an application brings. */
    private static final Class<?>[] DOORS = {
        Rollouts.class, RolloutsBuilder.class, RolloutStore.class, CheckpointStore.class
    };

    ArchitectureTests() {
        super(Rollouts.class, DOORS);
    }

    /** Plain Java needs slf4j and Gson alone. */
    @Test
    @Tag("R113")
    void plainRolloutsKnowNothingOfSpring() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.github.kobe.rollout.jdbc", "io.github.kobe.rollout.redis")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "com.github.kagkarlsson..")
                .check(main);
    }

    /** Nodes need not agree on the time of day. */
    @Test
    @Tag("R126")
    void aDatabaseIsTheOnlyClockOfItsStore() {
        noClasses()
                .that()
                .resideInAPackage("io.github.kobe.rollout.jdbc")
                .should()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("com.github.kagkarlsson.scheduler.SystemClock")
                .check(main);
    }

    @Test
    void ofTheApiOnlyTheDoorsKnowWhatIsInternal() {
        noClasses()
                .that()
                .resideInAnyPackage("io.github.kobe.rollout", "io.github.kobe.rollout.http")
                .and(not(belongToAnyOf(DOORS)))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.github.kobe.rollout.internal..")
                .check(main);
    }

    /** What changes a plan knows of no thread, clock or store in particular. */
    @Test
    void rulesKnowOfNothingThatRuns() {
        noClasses()
                .that()
                .resideInAPackage("io.github.kobe.rollout.internal.rules")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.github.kobe.rollout.internal.drive",
                        "io.github.kobe.rollout.internal.memory",
                        "java.util.concurrent..")
                .check(main);
    }

    @Test
    void ofTheOtherStoresOnlyTheStoresArePublic() {
        assertThat(main.stream()
                        .filter(resideInAnyPackage("io.github.kobe.rollout.jdbc", "io.github.kobe.rollout.redis")
                                .and(modifier(PUBLIC)))
                        .filter(JavaClass::isTopLevelClass))
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder("JdbcRolloutStore", "RedisCheckpointStore");
    }

    @Test
    void whatIsPublicIsMeantToBe() {
        assertThat(main.stream()
                        .filter(resideInAPackage("io.github.kobe.rollout").and(modifier(PUBLIC)))
                        .filter(JavaClass::isTopLevelClass))
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder(
                        // where to begin
                        "Rollouts",
                        "RolloutsBuilder",
                        // values
                        "Target",
                        "PlanId",
                        "TaskId",
                        "TenantId",
                        "DeployVersion",
                        "DeployUnit",
                        "NetworkEndpoint",
                        "ConfigSnapshot",
                        "ConfigCodec",
                        "TenantChange",
                        "RolloutPlan",
                        "WaveSize",
                        "FailureReaction",
                        "WaveGate",
                        "PlanPreview",
                        "TenantPreview",
                        "PlanInfo",
                        "TaskInfo",
                        "PlanStatus",
                        "TaskStatus",
                        "RolloutStatus",
                        "FailureInfo",
                        "OperationResult",
                        "Checkpoint",
                        "Wish",
                        "ConflictPolicy",
                        // what happens
                        "RolloutEvent",
                        "RecordedEvent",
                        "Occurrence",
                        // what can't be done
                        "RolloutException",
                        "PlanNotFoundException",
                        "TaskNotFoundException",
                        "TaskOperationException",
                        "TaskCreationException",
                        "CheckpointException",
                        "RetryAfterException",
                        // what an application brings
                        "Stage",
                        "Step",
                        "StageContext",
                        "StageFactory",
                        "RolloutSettings",
                        "TaskWorkerFactory",
                        "WaveCheck",
                        "CheckpointStore",
                        "MetricsRegistry",
                        "RollbackHealthVerifier",
                        "HealthCheckClient",
                        "HttpTransport",
                        "EndpointPolicy",
                        "PreviousConfig",
                        "RolloutEventSink",
                        "RolloutStore");
    }

    @Test
    void everyClassFitsInAHead() throws IOException {
        Path sources = Markdown.repository().resolve("group-concurrency-rollout/src/main/java");
        try (Stream<Path> files = Files.walk(sources)) {
            assertThat(files.filter(file -> file.toString().endsWith(".java")))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(Files.readAllLines(file))
                            .hasSizeLessThanOrEqualTo(
                                    file.endsWith("Rollouts.java") ? MOST_LINES_OF_ROLLOUTS : MOST_LINES));
        }
    }
}
