package io.github.kobe.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Depth;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The engine in a {@link Simulation}: each seed is one order of its steps, and a failure names the seed.
 *
 * <p>{@code -Dseed=…} plays that one alone, in every play; {@code -Dseeds=…} as many in every play.
 */
@Tag("stress")
@Timeout(value = 12, unit = TimeUnit.HOURS)
class SimulationTests {

    private static final int SEEDS = Depth.pick(500, 20_000, 100_000);
    private static final int PLAYS = Seeded.Play.values().length;

    private static EngineLoader loader;

    /** Plays the scenario of a name under a seed; gives its steps. */
    private static BiFunction<String, Long, List<String>> seeded;

    @BeforeAll
    @SuppressWarnings("unchecked")
    static void loadTheEngine() {
        loader = new EngineLoader(SchedulePoints::new);
        // Else what comes first would take steps that the same seed doesn't take later.
        loader.initialiseAll();
        seeded = loader.newInstance(BiFunction.class, Seeded.class);
    }

    @ParameterizedTest
    @EnumSource(Seeded.Play.class)
    void whateverTheOrderOfStepsTheAuditHolds(Seeded.Play play) {
        Long asked = Long.getLong("seed");
        long first = asked != null ? asked : Depth.pick(1L, 1L, Depth.seed());
        long seeds = asked == null ? Long.getLong("seeds", SEEDS / PLAYS) : 1;
        long steps = 0;

        for (long seed = first; seed < first + seeds; seed++) {
            steps += seeded.apply(play.name(), seed).size();
        }

        assertThat(steps).as("steps in " + seeds + " seeds").isGreaterThan(10 * seeds);
    }

    @ParameterizedTest
    @EnumSource(Seeded.Play.class)
    void theSameSeedTakesTheSameSteps(Seeded.Play play) {
        assertThat(seeded.apply(play.name(), 7L)).isEqualTo(seeded.apply(play.name(), 7L));
    }

    @Test
    void anotherSeedTakesOtherSteps() {
        String play = Seeded.Play.GROUPS_ALONE.name();

        assertThat(seeded.apply(play, 7L)).isNotEqualTo(seeded.apply(play, 8L));
    }

    @Test
    void aLostWakeUpIsFoundAndToldWithTheStepsBefore() {
        String told =
                (String) loader.newInstance(Supplier.class, LosesAWakeUp.class).get();

        assertThat(told)
                .contains("a wake-up was lost")
                .contains("sleeper#1 goes on at before it sleeps")
                .contains(LosesAWakeUp.class.getName() + ".sleep");
    }

    @Test
    void aLongWaitTakesNoTime() {
        Object waited = loader.newInstance(Supplier.class, WaitsLong.class).get();

        assertThat(waited).isEqualTo(TimeUnit.SECONDS.toNanos(30));
    }

    /** A thread that nobody will ever wake. */
    @SuppressWarnings("ThreadPriorityCheck") // it yields to the simulation
    static final class LosesAWakeUp implements Supplier<String> {
        @Override
        public String get() {
            Simulation simulation = new Simulation(1);
            Simulation.enter(simulation);
            try {
                simulation.start("sleeper", () -> {
                    Simulation.point("before it sleeps");
                    Thread.yield();
                    return sleep();
                });
                simulation.run(simulation::allEnded, List::of, () -> {});
                return simulation.failure();
            } finally {
                Simulation.enter(null);
            }
        }

        private static Object sleep() {
            while (true) {
                LockSupport.park();
            }
        }
    }

    /** A thread that waits for long; tells how long it took by the simulation's clock. */
    static final class WaitsLong implements Supplier<Long> {
        @Override
        public Long get() {
            Simulation simulation = new Simulation(4);
            Simulation.enter(simulation);
            try {
                long start = Simulation.nanoTime();
                long[] woken = new long[1];
                simulation.start("waiter", () -> {
                    Simulation.parkNanos(TimeUnit.SECONDS.toNanos(30));
                    woken[0] = Simulation.nanoTime();
                    return null;
                });
                simulation.run(simulation::allEnded, List::of, () -> {});
                return woken[0] - start;
            } finally {
                Simulation.enter(null);
            }
        }
    }
}
