package io.github.kobe.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.kobe.testing.HouseRules;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The engine's classes have an order: doors call work, work has permits, permits that are out come from groups. A class may
 * use those of its own layer and below.
 */
class LayersTests {

    private static final String ENGINE = "io.github.kobe.internal";

    private static final int MOST_LINES = 500;

    /** From below to above. */
    private static final List<Set<String>> LAYERS = List.of(
            // values, what stands for user code, and what every part may know
            Set.of(
                    "KeyText",
                    "Glob",
                    "Log",
                    "FailureLog",
                    "Member",
                    "ListenerChain",
                    "TracerChain",
                    "DecoratorChain",
                    "EffectiveLimits",
                    "CompiledPolicy",
                    "StackReserve",
                    "Environment",
                    "Padded",
                    "Alarms",
                    "Counters",
                    "Credits",
                    "Rejection",
                    "Particulars",
                    "Lineage",
                    "Stage",
                    "Core",
                    "Report",
                    "Reports",
                    "SafeRecorder",
                    "Recording",
                    "RuleAccount",
                    "Accounts"),
            // permits
            Set.of(
                    "Piece",
                    "FreePermits",
                    "GroupSettings",
                    "GroupRecord",
                    "GroupQueue",
                    "Kin",
                    "Line",
                    "Node",
                    "GroupWaits",
                    "GroupState",
                    "GuardedGroup",
                    "Group",
                    "Ledger",
                    "Ring",
                    "Readings",
                    "RuleSum"),
            // permits that are out, shared and lent
            Set.of(
                    "Hold",
                    "Holds",
                    "Inside",
                    "Call",
                    "SharedGlobal",
                    "OpenablePermit",
                    "Permit",
                    "Share",
                    "UnboundPermits",
                    "Releases",
                    "Loan",
                    "KnownOffers",
                    "Offer",
                    "Offers",
                    "Lenders",
                    "Families",
                    "Borrowers",
                    "Lending",
                    "Borrowing"),
            // work, and those who wait
            Set.of(
                    "Outcome",
                    "WorkSpec",
                    "TaskCompletion",
                    "Task",
                    "TracedTask",
                    "AbortingTask",
                    "Fork",
                    "ForkTask",
                    "Tellers",
                    "Taken",
                    "ViewTask",
                    "ViewEntry",
                    "ViewFuture",
                    "Run",
                    "OpenStage",
                    "Waiter",
                    "PermitFuture",
                    "Rejections",
                    "Holders"),
            // doors
            Set.of("Admission", "Callers", "UnderPermit", "Control", "GroupExecutorService", "Doors", "ScopeBridge"));

    /** What carries out, tells and looks after time and the end: every layer uses these, and they use every layer. */
    private static final Set<String> SERVICES =
            Set.of("Engine", "Batch", "Endings", "Dispatcher", "Housekeeper", "IdleGroups", "Lifecycle");

    /** References against the order, with what each is for. */
    private static final Map<String, Set<String>> UPWARDS = new TreeMap<>(Map.of(
            // What waits may be granted on a loan, or share a global permit.
            "Node", Set.of("Loan", "SharedGlobal"),
            "GroupState", Set.of("Offer", "KnownOffers", "Borrowing"),
            // What waits for a scope is told to those who offer to it.
            "Kin", Set.of("Families", "Lending"),
            "GuardedGroup", Set.of("Lending"),
            // Owners who want back what they have lent come before the ring.
            "Ledger", Set.of("Lenders"),
            // A permit of no thread is found by its group.
            "Group", Set.of("Lending", "SharedGlobal", "UnboundPermits"),
            // A permit is a door of its own.
            "OpenablePermit", Set.of("UnderPermit"),
            // A task gives back in parts, and what it borrowed to its lender.
            "Releases", Set.of("Run"),
            "Borrowers", Set.of("Run"),
            // An entry tells its view when it is over.
            "ViewEntry", Set.of("GroupExecutorService")));

    private static final JavaClasses MAIN = HouseRules.mainClassesBeside(LayersTests.class);

    private static String topLevel(JavaClass type) {
        return type.getName().substring(ENGINE.length() + 1).replaceFirst("\\$.*", "");
    }

    private static Stream<JavaClass> engine() {
        return MAIN.stream().filter(type -> type.getPackageName().equals(ENGINE));
    }

    private static int layerOf(String name) {
        return IntStream.range(0, LAYERS.size())
                .filter(layer -> LAYERS.get(layer).contains(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyClassHasItsPlace() {
        Set<String> placed = new TreeSet<>(SERVICES);
        LAYERS.forEach(placed::addAll);

        assertThat(engine().map(LayersTests::topLevel).distinct())
                .filteredOn(name -> !name.equals("package-info"))
                .containsExactlyInAnyOrderElementsOf(placed);
    }

    @Test
    void noClassUsesOneOfALayerAboveItsOwnButThoseOnTheList() {
        Map<String, Set<String>> upwards = new TreeMap<>();
        engine().filter(type -> isInALayer(topLevel(type)))
                .forEach(type -> type.getDirectDependenciesFromSelf().stream()
                        .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                        .filter(target -> target.getPackageName().equals(ENGINE))
                        .map(LayersTests::topLevel)
                        .filter(target -> isInALayer(target) && layerOf(target) > layerOf(topLevel(type)))
                        .forEach(target -> upwards.computeIfAbsent(topLevel(type), name -> new TreeSet<>())
                                .add(target)));

        assertThat(upwards).isEqualTo(UPWARDS);
    }

    @Test
    void everyClassOfTheEngineFitsInAHead() throws IOException {
        Path sources = Markdown.repository()
                .resolve("group-concurrency-core/src/main/java")
                .resolve(ENGINE.replace('.', '/'));
        try (Stream<Path> files = Files.list(sources)) {
            assertThat(files)
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(Files.readAllLines(file)).hasSizeLessThanOrEqualTo(MOST_LINES));
        }
    }

    private static boolean isInALayer(String name) {
        return LAYERS.stream().flatMap(Collection::stream).anyMatch(name::equals);
    }
}
