package io.github.kobe.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTests {

    @Tag("E1")
    @ParameterizedTest
    @CsvSource({
        "vip:*, vip:",
        "vip:*, vip:a",
        "vip:*, vip:a:b",
        "*:eu, a:eu",
        "*:eu, :eu",
        "a*c, ac",
        "a*c, abc",
        "a*c, abcbc",
        "*, ''",
        "*, anything",
        "**, anything",
        "a*b*c, a-b-b-c",
        "*ab, aab",
        "*aab*, aaaab!",
        "'', ''",
        "plain, plain"
    })
    void aStarStandsForAnyRunOfCharacters(String pattern, String text) {
        assertThat(new Glob(pattern).matches(text)).isTrue();
    }

    @Tag("E1")
    @ParameterizedTest
    @CsvSource({
        "vip:*, VIP:a",
        "vip:*, vip",
        "vip:*, 'a vip:b'",
        "*:eu, a:eu2",
        "a*c, ab",
        "a*c, a",
        "a*b*c, acb",
        "'', a",
        "plain, plain2",
        "plain, plai"
    })
    void theWholeTextHasToFit(String pattern, String text) {
        assertThat(new Glob(pattern).matches(text)).isFalse();
    }

    @Tag("E1")
    @ParameterizedTest
    @CsvSource({"a?c, abc", "a.c, abc", "[ab], a", "'{a,b}', a", "a+, aa", "\\*, x", "^a$, a", "(a|b), a"})
    void noOtherCharacterIsSpecial(String pattern, String text) {
        assertThat(new Glob(pattern).matches(text)).isFalse();
        assertThat(new Glob(pattern).matches(pattern)).isTrue();
    }

    @Test
    void matchingALongHostileTextEnds() {
        String hostile = "a".repeat(10_000);

        assertThat(new Glob("a*a*a*a*b").matches(hostile)).isFalse();
        assertThat(new Glob("a*a*a*a*").matches(hostile)).isTrue();
    }

    @Test
    void literalsAreTheCharactersThatStandForThemselves() {
        assertThat(new Glob("vip:*:a*").literals()).isEqualTo(6);
        assertThat(new Glob("**").literals()).isZero();
    }

    @Test
    void aGlobKeepsItsText() {
        assertThat(new Glob("vip:*").pattern()).isEqualTo("vip:*");
    }
}
