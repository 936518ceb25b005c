package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What it takes an application to read the limits of many groups, each of which its settings name. */
final class NamedGroups extends Workload {

    /** When they are read. */
    enum Moment {
        START("what the start of an application takes longer with %,d groups in its settings than with one pattern"),
        REFRESH("a refresh of the settings with %,d groups in them");

        private final String title;

        Moment(String title) {
            this.title = title;
        }
    }

    private final Moment moment;
    private final int groups;

    NamedGroups(String id, Moment moment, int bound, int groups) {
        super(id, String.format(Locale.ROOT, moment.title, groups), "ms", Goal.atMost(bound));
        this.moment = moment;
        this.groups = groups;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.ADVICE);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.STARTER);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        long start = System.nanoTime();
        try (OursInSpring few = OursInSpring.withNamed(limits(), 0)) {
            double before = nanosSince(start);
            check(1, few.advised().byLiteral());
            start = System.nanoTime();
            try (OursInSpring many = OursInSpring.withNamed(limits(), groups)) {
                double longer = nanosSince(start) - before;
                check(groups, many.executor().policy().groups().size());
                start = System.nanoTime();
                many.refresh();
                return (moment == Moment.START ? longer : nanosSince(start)) / 1e6;
            }
        }
    }
}
