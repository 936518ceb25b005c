package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.kobe.Costs;
import io.github.kobe.Rate;
import io.github.kobe.internal.base.RateTerms;
import io.github.kobe.internal.base.Tempo;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What follows a grant needs no memory, since there might be none. The interpreter hides no allocation, so few rounds are enough. */
@Tag("RA6")
class ChargingTests {

    @Test
    void aStartIsChargedWithoutMemory() {
        Rate rate = Rate.of(1_000_000, Duration.ofMinutes(1)).named("tokens");
        GroupRate rates = GroupRate.rested(List.of(new RateTerms(rate, Tempo.of(rate))), 1);
        Costs costs = Costs.of("tokens", 200);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 100; i++) {
                rates.take(costs, 1);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(800);
    }
}
