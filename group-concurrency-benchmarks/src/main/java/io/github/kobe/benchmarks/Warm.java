package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/** A workload that whoever does it has done once before: what it leases for that, it holds by then. */
final class Warm extends Workload {

    private final Workload work;

    Warm(Workload work) {
        super(work.id(), work.title() + ", capacity held", work.unit(), work.goal());
        this.work = work;
    }

    @Override
    Set<Trait> needs() {
        return work.needs();
    }

    @Override
    List<Entrant> entrants() {
        return work.entrants();
    }

    @Override
    Limits limits() {
        return work.limits();
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        work.run(contestant);
        return work.run(contestant);
    }
}
