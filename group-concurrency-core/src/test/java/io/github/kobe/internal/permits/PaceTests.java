package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.base.Tempo;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the pace of a rate allows, and when; that no window has more than the limit is shown by {@link PaceHistoriesTests}. */
class PaceTests {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long MINUTE = 60 * SECOND;
    private static final long DAY = 24 * 60 * MINUTE;

    private long now = 1;

    /** {@return how many units start from now on until then, each as soon as it may} */
    private int startsUntil(long end, Pace pace, Tempo tempo) {
        int starts = 0;
        for (long next = Math.max(now, pace.earliest(tempo, 1)); next < end; next = pace.earliest(tempo, 1)) {
            now = Math.max(now, next);
            pace.take(tempo, 1, now);
            starts++;
        }
        now = Math.max(now, end);
        return starts;
    }

    private int startsAtOnce(Pace pace, Tempo tempo) {
        long then = now;
        int starts = startsUntil(now + 1, pace, tempo);
        now = then;
        return starts;
    }

    @Test
    @Tag("RA2")
    void asManyStartAtOnceAsTheBurstAndThenEvenlyWhatIsSustained() {
        Tempo tempo = new Tempo(60, 6, MINUTE);
        Pace pace = new Pace(now);

        assertThat(startsAtOnce(pace, tempo)).isEqualTo(6);
        assertThat(pace.earliest(tempo, 1)).isEqualTo(1 + (MINUTE + 54) / 55);
        assertThat(startsUntil(1 + MINUTE, pace, tempo)).isEqualTo(54);
        for (int minute = 0; minute < 10; minute++) {
            assertThat(startsUntil(now + MINUTE, pace, tempo)).isEqualTo(55);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "60, 6, 60000000000",
        "7, 3, 1000000",
        "1000000000, 100000, 1000000",
        "1000000000, 100000000, 2678400000000000",
        "1, 1, 2678400000000000",
        "60, 60, 60000000000",
    })
    @Tag("RA2")
    void underBacklogTheSustainedRateIsKeptUp(int limit, int burst, long period) {
        Tempo tempo = new Tempo(limit, burst, period);
        Pace pace = new Pace(now);
        pace.take(tempo, burst, now);
        long begin = now;
        long units = 0;
        int cost = Math.max(1, burst / 2);
        while (units < 2_000_000 && now < begin + 40 * period) {
            now = Math.max(now, pace.earliest(tempo, cost));
            pace.take(tempo, cost, now);
            units += cost;
        }

        assertThat((double) units).isGreaterThan(0.999 * tempo.sustained() * (now - begin) / period);
    }

    @Test
    @Tag("RA2")
    void anIntervalIsExactForYears() {
        Tempo tempo = new Tempo(8, 2, MINUTE + 1);
        Pace pace = new Pace(now);
        pace.take(tempo, 2, now);

        for (int i = 0; i < 7_000_000; i++) {
            now = pace.earliest(tempo, 1);
            pace.take(tempo, 1, now);
        }

        assertThat(now).isEqualTo(1 + 1_000_000 * (MINUTE + 1));
    }

    @Test
    @Tag("RA1")
    void idleTimeSavesUpNoMoreThanTheBurst() {
        Tempo tempo = new Tempo(10, 3, SECOND);
        Pace pace = new Pace(now);
        startsUntil(now + SECOND, pace, tempo);
        now += 31 * DAY;

        assertThat(pace.restedFrom()).isLessThan(now);
        assertThat(startsAtOnce(pace, tempo)).isEqualTo(3);
        assertThat(pace.restedFrom()).isGreaterThan(now);
    }

    @Test
    @Tag("RA12")
    void itHasRestedOnceAllWouldHaveBeenStartedEvenly() {
        Tempo tempo = new Tempo(10, 4, 14);
        Pace pace = new Pace(now);
        assertThat(pace.restedFrom()).isEqualTo(now);

        pace.take(tempo, 4, now);
        assertThat(pace.restedFrom()).isEqualTo(now + 8);
        Tempo odd = new Tempo(10, 4, 15);
        pace = new Pace(now);
        pace.take(odd, 1, now);
        assertThat(pace.restedFrom()).as("two nanoseconds and a seventh").isEqualTo(now + 3);
        pace.reset(now);
        assertThat(pace.restedFrom()).isEqualTo(now);
    }

    @Test
    @Tag("RA6")
    void aCostAboveTheBurstWaitsForAsMuchMoreRestAndIsPaidOffAfterwards() {
        Tempo tempo = new Tempo(100, 10, 91);
        Pace pace = new Pace(now);

        assertThat(pace.earliest(tempo, 10)).isEqualTo(now);
        assertThat(pace.earliest(tempo, 40)).isEqualTo(now + 30);
        now += 30;
        pace.take(tempo, 40, now);

        assertThat(pace.earliest(tempo, 1)).isEqualTo(now + 31);
        assertThat(pace.earliest(tempo, 100)).isEqualTo(now + 130);
    }

    @Test
    @Tag("RA7")
    void whatWasNotUsedIsFreeAtOnceAndWhatWasUsedBesidesDelaysTheNext() {
        Tempo tempo = new Tempo(100, 10, 91);
        Pace pace = new Pace(now);
        pace.take(tempo, 10, now);
        assertThat(pace.earliest(tempo, 4)).isEqualTo(now + 4);

        pace.settle(tempo, 10, 6, now);
        assertThat(pace.earliest(tempo, 4)).isEqualTo(now);
        pace.take(tempo, 4, now);
        pace.settle(tempo, 4, 54, now);
        assertThat(pace.earliest(tempo, 1)).isEqualTo(now + 51);

        now += DAY;
        pace.settle(tempo, 6, 60, now);
        assertThat(pace.earliest(tempo, 1)).isEqualTo(now + 45);
        pace.settle(tempo, 1, 1, now);
        assertThat(pace.earliest(tempo, 1)).isEqualTo(now + 45);
    }

    @Test
    @Tag("RA7")
    void aCorrectionDelaysByTenYearsAtMost() {
        Tempo tempo = new Tempo(100, 10, DAY);
        Pace pace = new Pace(now);
        for (int i = 0; i < 3; i++) {
            pace.settle(tempo, 0, Long.MAX_VALUE, now);
        }

        assertThat(pace.earliest(tempo, 10)).isEqualTo(now + Tempo.FARTHEST);
    }

    @Test
    @Tag("RA8")
    void theLastOfSeveralStartsWhenThoseBeforeItHave() {
        Tempo tempo = new Tempo(60, 6, MINUTE);
        Pace pace = new Pace(now);
        now += DAY;
        assertThat(pace.earliestOfLast(tempo, 6, now)).isEqualTo(now);
        startsAtOnce(pace, tempo);

        for (int waiting = 1; waiting < 200; waiting += 7) {
            Pace twin = new Pace(now);
            long last = now;
            startsAtOnce(twin, tempo);
            for (int i = 0; i < waiting; i++) {
                last = Math.max(last, twin.earliest(tempo, 1));
                twin.take(tempo, 1, last);
            }
            assertThat(pace.earliestOfLast(tempo, waiting, now)).isEqualTo(last);
        }
        assertThat(pace.earliestOfLast(tempo, 1, now + DAY)).isEqualTo(now + DAY);
        assertThat(pace.earliestOfLast(tempo, 7, now + DAY)).isEqualTo(now + DAY + (MINUTE + 54) / 55);
    }

    @Test
    @Tag("RA11")
    void anotherRateBeginsWithoutABurst() {
        Tempo before = new Tempo(60, 6, MINUTE);
        Tempo after = new Tempo(120, 21, MINUTE);
        Pace pace = new Pace(now);
        startsAtOnce(pace, before);
        long changed = now;
        pace.change(before, after, now);

        assertThat(startsUntil(now + 1, pace, after)).isZero();
        assertThat(pace.earliest(after, 1)).isEqualTo(changed + (MINUTE + 99) / 100);
        assertThat(pace.earliest(after, 21)).isEqualTo(changed + (21 * MINUTE + 99) / 100);
    }

    @Test
    @Tag("RA11")
    void afterAnIdlePeriodAnotherRateHasItsBurst() {
        Tempo before = new Tempo(60, 6, MINUTE);
        Tempo after = new Tempo(3_600, 21, 60 * MINUTE);
        Pace pace = new Pace(now);
        pace.take(before, 1, now);
        Pace other = new Pace(now);
        other.take(before, 1, now);

        now += 59 * MINUTE;
        other.change(before, after, now);
        assertThat(startsAtOnce(other, after)).isZero();
        now += 3 * MINUTE;
        pace.change(before, after, now);
        assertThat(startsAtOnce(pace, after)).isEqualTo(21);
    }

    @Test
    @Tag("RA11")
    void changesInARowDoNotAddUp() {
        Tempo one = new Tempo(60, 30, MINUTE);
        Tempo other = new Tempo(60, 1, MINUTE);
        Pace pace = new Pace(now);
        startsAtOnce(pace, one);

        for (int pair = 0; pair < 5; pair++) {
            pace.change(one, other, now);
            assertThat(pace.earliest(other, 1)).isEqualTo(now + 30 * SECOND);
            pace.change(other, one, now);
            assertThat(pace.earliest(one, 1)).isEqualTo(now + (MINUTE + 30) / 31);
        }
    }

    @Test
    @Tag("RA7")
    @Tag("RA11")
    void whatIsToBePaidOffIsOwedOnceAfterChangesInARow() {
        Tempo one = new Tempo(100, 10, 91);
        Tempo other = new Tempo(100, 1, 100);
        Pace pace = new Pace(now);
        pace.take(one, 10, now);
        pace.settle(one, 4, 9, now);

        for (int pair = 0; pair < 5; pair++) {
            pace.change(one, other, now);
            pace.settle(other, 2, 4, now);
            pace.settle(other, 4, 2, now);
            pace.change(other, one, now);
        }

        assertThat(pace.earliest(one, 1)).as("five and one, or a few more").isBetween(now + 6, now + 9);
    }

    @Test
    @Tag("RA11")
    void aRateOfAGroupThatRanWithoutOneBeginsEmpty() {
        Tempo tempo = new Tempo(60, 6, MINUTE);
        Pace pace = new Pace(now);
        pace.beginEmpty(tempo, now);

        assertThat(startsAtOnce(pace, tempo)).isZero();
        assertThat(pace.earliest(tempo, 1)).isEqualTo(1 + (MINUTE + 54) / 55);
    }
}
