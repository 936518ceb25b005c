package io.github.kobe.spring.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class PrintableTextTests {

    @Test
    void aKeyIsOneLineOfBoundedLength() {
        assertThat(PrintableText.ofKey("a\r\nb\u0000\u001b\u007f\u0085\u2028\u2029\u202e\u200bc"))
                .isEqualTo("a__b________c");
        assertThat(PrintableText.ofKey("tenant:\u00e4\u4e2d\ud83d\ude00")).isEqualTo("tenant:\u00e4\u4e2d\ud83d\ude00");
        assertThat(PrintableText.ofKey("k".repeat(1_000))).isEqualTo("k".repeat(128));
        assertThat(PrintableText.ofKey("k".repeat(127) + "\ud83d\ude00")).isEqualTo("k".repeat(127));
    }

    @Test
    void aTextIsOneLineOfItsOwnLength() {
        assertThat(PrintableText.inOneLine("k".repeat(200) + "\n")).isEqualTo("k".repeat(200) + "_");
    }

    @Test
    void halvesOfSurrogatePairsAreReplaced() {
        assertThat(PrintableText.wellFormed("a\ud83d\ude00\ud83d")).isEqualTo("a\ud83d\ude00\ufffd");
        assertThat(PrintableText.wellFormed("\ude00\ud83da\r\n")).isEqualTo("\ufffd\ufffda\r\n");
    }
}
