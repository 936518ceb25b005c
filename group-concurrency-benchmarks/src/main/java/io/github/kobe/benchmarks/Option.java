package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A workload as done by the engine without something and with it. */
final class Option extends Workload {

    private final Workload work;
    private final Entrant with;
    private final Entrant without;

    Option(String id, Workload work, Entrant with) {
        this(id, work, with, Goal.none(Entrant.OURS));
    }

    Option(String id, Workload work, Entrant with, Goal goal) {
        super(id, work.title() + ", " + with.title(), work.unit(), goal);
        this.work = work;
        this.with = with;
        without = Objects.requireNonNull(goal.reference());
    }

    @Override
    List<Entrant> entrants() {
        return List.of(without, with);
    }

    @Override
    Set<Trait> needs() {
        return work.needs();
    }

    @Override
    Limits limits() {
        return work.limits();
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        return work.run(contestant);
    }
}
