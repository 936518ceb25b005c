package io.github.kobe.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTextTests {

    @Test
    void aHarmlessKeyIsShownAsItIs() {
        String key = "tenant:42/é 漢字 \uD83D\uDE00";

        assertThat(KeyText.printable(key)).isSameAs(key);
    }

    @Tag("K7")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n", "\r", "\t", "\0", "\u001b", "\u007f", "\u0085", "\u009b", "\u2028", "\u2029", "\u202e", "\u2066",
                "\u200b", "\ufeff"
            })
    void whatCouldForgeALineIsReplaced(String character) {
        assertThat(KeyText.printable("a" + character + "b")).isEqualTo("a_b");
        assertThat(KeyText.printable(character)).isEqualTo("_");
    }

    @Test
    void aLongKeyIsCut() {
        assertThat(KeyText.printable("k".repeat(129))).isEqualTo("k".repeat(128));
        assertThat(KeyText.printable("k".repeat(128))).isEqualTo("k".repeat(128));
    }

    @Test
    void aSurrogatePairIsNotCutInTwo() {
        String key = "k".repeat(127) + "\uD83D\uDE00";

        assertThat(KeyText.printable(key)).isEqualTo("k".repeat(127));
    }

    @Test
    void aLongKeyIsCleanedAndCut() {
        assertThat(KeyText.printable("\n" + "k".repeat(200))).isEqualTo("_" + "k".repeat(127));
        assertThat(KeyText.printable("k".repeat(128) + "\n")).isEqualTo("k".repeat(128));
    }

    @Test
    void anEmptyKeyStaysEmpty() {
        assertThat(KeyText.printable("")).isEmpty();
    }
}
