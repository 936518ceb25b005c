package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** What an uncontended call costs while another thread reads the endpoint and the meters, over what it does otherwise. */
final class ScrapedCalls extends Workload {

    private static final int TURNS = 4;

    private final List<String> live;
    private final UncontendedCalls calls;

    ScrapedCalls(int groups, int calls) {
        super(
                "S1",
                "`call` while endpoint and meters of an executor with 100,000 groups are read, again and again",
                "× as long as without",
                Goal.atMost(1.2));
        this.live = Keys.of("live-", groups);
        this.calls = UncontendedCalls.ofPlatformThread(calls);
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CALLS, Trait.METERS);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.METERED);
    }

    @Override
    Limits limits() {
        return calls.limits();
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        for (String group : live) {
            contestant.call(group, NOTHING);
        }
        double without = 0;
        double with = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            without += calls.run(contestant);
            with += whileScraped(contestant);
        }
        return with / without;
    }

    private double whileScraped(Contestant<?> contestant) throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        AtomicLong scrapes = new AtomicLong();
        Thread scraper = Thread.ofPlatform().name("scraper").start(() -> {
            do {
                contestant.scrape();
                scrapes.incrementAndGet();
            } while (!ended.get());
        });
        try {
            return calls.run(contestant);
        } finally {
            ended.set(true);
            scraper.join();
            check(1, Long.signum(scrapes.get()));
        }
    }
}
