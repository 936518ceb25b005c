package io.github.kobe.schedules;

import io.github.kobe.audit.Audit;
import io.github.kobe.internal.doors.EngineAccess;
import java.util.EnumSet;
import java.util.List;
import java.util.function.BiFunction;

/** Plays a scenario under a seed; loaded by an {@link EngineLoader} with {@link SchedulePoints}. */
final class Seeded implements BiFunction<String, Long, List<String>> {

    /** What can be played. */
    enum Play {
        GROUPS_ALONE,
        A_GLOBAL_LIMIT,
        LAST_GLOBAL_PERMITS,
        DEATH_VERSUS_CREDIT,
        WAITS_FOR_OWN_WORK,
        WAITS_FOR_OWN_WORK_UNDER_A_GLOBAL_LIMIT,
        SUBMIT_VERSUS_SHUTDOWN,
        SUBMIT_VERSUS_EVICT,
        CANCEL_VERSUS_START,
        CANCEL_VERSUS_COMPLETE,
        TIME_OUT_VERSUS_GRANT,
        IDLE_REMOVAL_VERSUS_REUSE,
        NESTED_WAIT_VERSUS_GLOBAL_LIMIT,
        INTERRUPT_VERSUS_GRANT,
        INTERRUPT_VERSUS_HAND_BACK,
        INTERRUPT_VERSUS_END,
        LATE_COUNT_VERSUS_EVICT,
        UNDER_A_PERMIT,
        LEAVE_VERSUS_LEND,
        CLOSE_VERSUS_SHARE,
        LEAVE_VERSUS_WITHDRAWN,
        LEAVE_VERSUS_NEXT_OWNER,
        WAITS_INSIDE,
        CARRIED_CALLS,
        OFFERS_AND_FORKS,
        SCOPES_AND_ENDS;

        private Scenario scenario(Simulation simulation, long seed) {
            return switch (this) {
                case GROUPS_ALONE, A_GLOBAL_LIMIT, WAITS_FOR_OWN_WORK, WAITS_FOR_OWN_WORK_UNDER_A_GLOBAL_LIMIT ->
                    new RandomScenario(simulation, seed, RandomProgram.Mix.valueOf(name()));
                case DEATH_VERSUS_CREDIT -> new DeathVersusCredit(simulation, seed);
                case LAST_GLOBAL_PERMITS -> new LastGlobalPermits(simulation, seed);
                case INTERRUPT_VERSUS_END -> new InterruptsAndEnds(simulation, seed);
                case LATE_COUNT_VERSUS_EVICT -> new LateCount(simulation, seed);
                case UNDER_A_PERMIT -> new UnderAPermit(simulation, seed);
                case LEAVE_VERSUS_LEND, CLOSE_VERSUS_SHARE ->
                    new AloneAtLast(simulation, seed, this == CLOSE_VERSUS_SHARE);
                case LEAVE_VERSUS_WITHDRAWN -> new WithdrawnAmongOthers(simulation, seed);
                case LEAVE_VERSUS_NEXT_OWNER -> new OneOwnerAfterAnother(simulation, seed);
                case WAITS_INSIDE -> new WaitsInside(simulation, seed);
                case CARRIED_CALLS -> new CarriedCalls(simulation, seed);
                case OFFERS_AND_FORKS -> new OffersAndForks(simulation, seed);
                case SCOPES_AND_ENDS -> new ScopesAndEnds(simulation, seed);
                default -> new LifeAndDeath(simulation, seed, LifeAndDeath.Race.valueOf(name()));
            };
        }
    }

    /**
     * Plays a scenario, then audits it.
     *
     * @param play the name of a {@link Play}
     * @return the steps taken
     * @throws AssertionError with what was found
     */
    @Override
    public List<String> apply(String play, Long seed) {
        EngineAccess.forgetEngines();
        Simulation simulation = new Simulation(seed);
        Simulation.enter(simulation);
        try {
            Scenario scenario = Play.valueOf(play).scenario(simulation, seed);
            scenario.begin();
            // While an owner's global permit is lent, or there for others to share, what waits may seem to have room.
            boolean exact = !EnumSet.of(
                            Play.WAITS_FOR_OWN_WORK_UNDER_A_GLOBAL_LIMIT,
                            Play.NESTED_WAIT_VERSUS_GLOBAL_LIMIT,
                            Play.INTERRUPT_VERSUS_HAND_BACK,
                            Play.UNDER_A_PERMIT,
                            Play.LEAVE_VERSUS_LEND,
                            Play.CLOSE_VERSUS_SHARE,
                            Play.LEAVE_VERSUS_WITHDRAWN,
                            Play.LEAVE_VERSUS_NEXT_OWNER,
                            Play.WAITS_INSIDE,
                            Play.CARRIED_CALLS,
                            Play.OFFERS_AND_FORKS,
                            Play.SCOPES_AND_ENDS)
                    .contains(Play.valueOf(play));
            simulation.run(scenario::isDone, scenario.witness::findings, () -> {
                if (exact) {
                    Audit.lostWakeUps(scenario.executor).forEach(lost -> simulation.fail(lost, null));
                }
            });
            if (simulation.failure() == null) {
                simulation.calmDown();
                scenario.actor("audit", () -> {
                    scenario.check();
                    Audit.checkExactly(scenario.executor, scenario.witness, simulation::settle);
                });
                simulation.run(simulation::isEmpty, List::of, () -> {});
            }
            String failure = simulation.failure();
            if (failure != null) {
                throw new AssertionError(play + " with seed " + seed + ": " + failure);
            }
            return simulation.steps();
        } finally {
            Simulation.enter(null);
        }
    }
}
