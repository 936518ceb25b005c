package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SH3")
class TurnsTests {

    @Test
    void eachLevelUpTo63HasAPlaceOfItsOwn() {
        for (int level = 0; level < Turns.SINGLE; level++) {
            assertThat(Turns.placeOf(level)).isEqualTo(level);
        }
        assertThat(Turns.placeOf(64)).isEqualTo(64);
    }

    @Test
    void whatSharesAPlaceDiffersByThreePercentAtMost() {
        long first = 0;
        int place = 0;
        for (long level = 1; level <= 1L << 22; level++) {
            int here = Turns.placeOf((int) level);
            assertThat(here).isBetween(place, place + 1);
            if (here != place) {
                assertThat((double) (level - 1) / Math.max(1, first)).isLessThan(1.04);
                place = here;
                first = level;
            }
        }
        assertThat(Turns.placeOf(Integer.MAX_VALUE)).isEqualTo(863);
    }

    @Test
    @Tag("SH2")
    void whoIsBelowAGuaranteeComesFirstAndOfThoseWhoHasItByItsName() {
        int own = Turns.placeOf(1, 2, true, 1);
        int byRule = Turns.placeOf(0, 2, false, 1);
        int none = Turns.placeOf(0, 0, false, 1);
        int met = Turns.placeOf(2, 2, true, 1);

        assertThat(own).isLessThan(byRule);
        assertThat(byRule).isLessThan(none);
        assertThat(met).isEqualTo(none);
        assertThat(Turns.placeOf(Integer.MAX_VALUE, Integer.MAX_VALUE - 1, true, 1))
                .isEqualTo(Turns.placeOf(1, 0, false, 1));
    }

    @Test
    void aWeightIsAsManyPermitsToALevel() {
        assertThat(Turns.placeOf(3, 0, false, 4)).isEqualTo(Turns.placeOf(0, 0, false, 4));
        assertThat(Turns.placeOf(4, 0, false, 4)).isEqualTo(Turns.placeOf(1, 0, false, 1));
        assertThat(Turns.placeOf(-1, 0, false, 1)).isEqualTo(Turns.placeOf(0, 0, false, 1));
    }
}
