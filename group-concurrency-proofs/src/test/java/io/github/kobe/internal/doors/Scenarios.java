package io.github.kobe.internal.doors;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.github.kobe.testing.Depth;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;

/**
 * Runs random scenarios of Lincheck: threads with a few operations each, whose results must be those of a model that does
 * the operations one after the other in some order.
 */
final class Scenarios {

    /**
     * After so long a scenario is taken to hang. Deadlocks the model checker finds without it, and half a minute, which it
     * allows by itself, isn't enough on a crowded machine: it transforms classes in the middle of the first one.
     */
    private static final Duration LONGEST_INVOCATION = Duration.ofMinutes(3);

    /** What the model checker takes for granted. A name that matches nothing would change what it explores, unseen. */
    static final List<Guarantee> GUARANTEES = List.of(
            // Of the fixtures, each thread uses what is its own: no steps to switch at.
            Guarantee.ignoringAllBut("io.github.kobe.internal.doors.FakeThreads", "act", "run", "runAll"),
            Guarantee.ignoringAllBut("io.github.kobe.internal.doors.FakeThreads$FakeThread"),
            Guarantee.ignoring("io.github.kobe.internal.doors.Submitted", "nextId", "add", "last", "admission"),
            Guarantee.ignoringAllBut("io.github.kobe.internal.doors.ScenarioEnd"),
            // A recursion, whose counter may lose counts: it decides nothing here.
            Guarantee.ignoringAllBut("io.github.kobe.internal.base.StackReserve"),
            // The one goes over a thousand slots; halfway through the other, the end of a run waits to be unparked,
            // which reaches the fake thread alone.
            Guarantee.takingAsAtomic("io.github.kobe.internal.permits.Holds", "forEachOpen"),
            Guarantee.takingAsAtomic("io.github.kobe.internal.work.Run", "interrupt"));

    /** Methods of a class at whose steps no thread is switched: {@code names}, or all others. */
    record Guarantee(String type, boolean atomic, boolean others, List<String> names) {

        static Guarantee ignoring(String type, String... names) {
            return new Guarantee(type, false, false, List.of(names));
        }

        static Guarantee ignoringAllBut(String type, String... names) {
            return new Guarantee(type, false, true, List.of(names));
        }

        static Guarantee takingAsAtomic(String type, String... names) {
            return new Guarantee(type, true, false, List.of(names));
        }

        private ManagedStrategyGuarantee forLincheck() {
            ManagedStrategyGuarantee.GuaranteeBuilder methods =
                    forClasses(type).methods(method -> names.contains(method) != others);
            return atomic ? methods.treatAsAtomic() : methods.ignore();
        }
    }

    /** A free run costs far less than a schedule, so it looks at many scenarios instead of many schedules. */
    private enum Size {
        MODEL_CHECKED(Depth.pick(1, 1, 10), Depth.pick(20, 20, 200)),
        WRITTEN_DOWN(1, Depth.pick(120, 120, 2_000)),
        FREE(Depth.pick(50, 50, 200), Depth.pick(10, 10, 200));

        private final int scenarios;
        private final int invocations;

        Size(int scenarios, int invocations) {
            this.scenarios = scenarios;
            this.invocations = invocations;
        }
    }

    private Scenarios() {}

    /**
     * Explores schedules of a scenario that is written down, because a race that has bitten elsewhere seldom comes up at
     * random: operations before, then one in each thread.
     *
     * @param model null: there is none, and what must hold in the end is all
     * @param before each as {@code operation thread}
     */
    static void modelCheck(Class<?> subject, Class<?> model, List<String> before, List<String> parallel) {
        List<List<Actor>> threads =
                actors(subject, parallel).stream().map(List::of).toList();
        Actor validation = new Actor(validation(subject), List.of());
        ModelCheckingOptions options = new ModelCheckingOptions()
                .iterations(0)
                .addCustomScenario(new ExecutionScenario(actors(subject, before), threads, List.of(), validation))
                .invocationsPerIteration(Size.WRITTEN_DOWN.invocations);
        withGuarantees(comparedWith(model, options)).check(subject);
    }

    private static List<Actor> actors(Class<?> subject, List<String> operations) {
        List<Actor> actors = new ArrayList<>();
        for (String operation : operations) {
            int space = operation.indexOf(' ');
            int thread = Integer.parseInt(operation.substring(space + 1));
            actors.add(new Actor(method(subject, operation.substring(0, space)), List.of(thread)));
        }
        return actors;
    }

    private static Method method(Class<?> subject, String operation) {
        return Arrays.stream(subject.getMethods())
                .filter(method -> method.getName().equals(operation))
                .findFirst()
                .orElseThrow();
    }

    private static Method validation(Class<?> subject) {
        return Arrays.stream(subject.getMethods())
                .filter(method -> method.isAnnotationPresent(Validate.class))
                .findFirst()
                .orElseThrow();
    }

    /** Explores schedules one by one, each at every step of the engine that shared memory can be seen by. */
    static void modelCheck(Class<?> subject, Class<?> model, int before, int threads, int operations, int after) {
        withGuarantees(sized(new ModelCheckingOptions(), Size.MODEL_CHECKED, model, before, threads, operations, after))
                .check(subject);
    }

    private static ModelCheckingOptions withGuarantees(ModelCheckingOptions options) {
        ModelCheckingOptions guaranteed = options;
        for (Guarantee guarantee : GUARANTEES) {
            guaranteed = guaranteed.addGuarantee(guarantee.forLincheck());
        }
        return guaranteed;
    }

    /** Lets the threads run freely. */
    static void stress(Class<?> subject, Class<?> model, int before, int threads, int operations, int after) {
        sized(new StressOptions(), Size.FREE, model, before, threads, operations, after)
                .check(subject);
    }

    private static <O extends Options<O, ?>> O sized(
            O options, Size size, Class<?> model, int before, int threads, int operations, int after) {
        return comparedWith(
                model,
                options.iterations(size.scenarios)
                        .invocationsPerIteration(size.invocations)
                        .actorsBefore(before)
                        .threads(threads)
                        .actorsPerThread(operations)
                        .actorsAfter(after));
    }

    private static <O extends Options<O, ?>> O comparedWith(Class<?> model, O options) {
        O patient = options.invocationTimeout$lincheck(LONGEST_INVOCATION.toMillis());
        return model == null ? patient.verifier(EpsilonVerifier.class) : patient.sequentialSpecification(model);
    }
}
