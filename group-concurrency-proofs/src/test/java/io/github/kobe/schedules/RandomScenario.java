package io.github.kobe.schedules;

import io.github.kobe.schedules.RandomProgram.Ending;
import io.github.kobe.schedules.RandomProgram.Mix;
import io.github.kobe.schedules.RandomProgram.Plan;
import io.github.kobe.schedules.RandomProgram.Size;

/** A {@link RandomProgram} in small, in a {@link Simulation}. */
final class RandomScenario extends Scenario {

    private final Mix mix;
    private RandomProgram program;

    RandomScenario(Simulation simulation, long seed, Mix mix) {
        super(simulation, seed);
        this.mix = mix;
    }

    @Override
    void begin() {
        Plan plan = new Plan(mix, Size.SMALL, random);
        start(plan.policy(), random.nextInt(3) > 0);
        program = new RandomProgram(this, plan, Ending.any(random), random);
        program.begin();
    }

    @Override
    void check() {
        if (!program.isAnswered()) {
            simulation.fail("somebody still waits for a permit", null);
        }
    }
}
