package io.github.kobe.sample.partner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QuotaTests {

    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private long now;
    private final Quota quota = new Quota(3, WINDOW, () -> now);

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void whatIsAboveTheLimitIsRefusedUntilTheOldestIsAWindowAgo() {
        for (int i = 0; i < 3; i++) {
            assertThat(quota.take("a")).isEmpty();
            pass(SECOND);
        }

        assertThat(quota.take("a")).contains(Duration.ofSeconds(7));
        pass(Duration.ofSeconds(7).minusNanos(1));
        assertThat(quota.take("b")).contains(Duration.ofNanos(1));
        pass(Duration.ofNanos(1));
        assertThat(quota.take("b")).isEmpty();
        assertThat(quota.take("b")).contains(SECOND);
        assertThat(quota.count()).isEqualTo(new Quota.Count(3, WINDOW, 3, 3, Map.of("a", 2, "b", 1)));
    }

    @Test
    void whatIsAWindowAgoCountsNoMore() {
        assertThat(quota.take("a")).isEmpty();

        pass(WINDOW);

        assertThat(quota.count()).isEqualTo(new Quota.Count(3, WINDOW, 1, 0, Map.of()));
    }

    @Test
    void noWindowHasMoreThanTheLimitWhereverItBeginsAndNoneIsRefusedThatFits() {
        Random random = new Random(42);
        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            pass(Duration.ofNanos(random.nextLong(WINDOW.toNanos() / 2)));
            long begin = now - WINDOW.toNanos();
            long within = taken.stream().filter(at -> at > begin).count();

            boolean isTaken = quota.take("a").isEmpty();

            assertThat(isTaken).isEqualTo(within < 3);
            if (isTaken) {
                taken.add(now);
            }
            taken.removeIf(at -> at <= begin);
        }
    }
}
