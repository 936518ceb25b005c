package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BytesTests {

    @ParameterizedTest
    @ValueSource(strings = {"", "g:a", "\u00e4\u4e2d", "\ud83d\ude00", "a\ud83d\ude00b\uffff", "\ud7ff\ue000"})
    void isUtf8(String text) {
        assertThat(Bytes.of(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
        assertThat(Bytes.text(Bytes.of(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "\udfff", "a\udc00\ud800b", "\ud83d\ud83d\ude00\ude00", "\ud800\ud800"})
    void keepsHalvesOfPairs(String text) {
        assertThat(Bytes.text(Bytes.of(text))).isEqualTo(text);
    }

    @Test
    void noTwoTextsAreTheSame() {
        Random random = new Random(1);
        List<Character> letters = List.of('a', '\u00e4', '\ud7ff', '\ud800', '\udbff', '\udc00', '\udfff', '\ue000');
        Set<String> texts = new HashSet<>();
        Set<List<Byte>> encoded = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(6); length > 0; length--) {
                text.append(letters.get(random.nextInt(letters.size())));
            }
            byte[] bytes = Bytes.of(text.toString());
            assertThat(Bytes.text(bytes)).isEqualTo(text.toString());
            texts.add(text.toString());
            encoded.add(boxed(bytes));
        }
        assertThat(encoded).hasSameSizeAs(texts);
    }

    private static List<Byte> boxed(byte[] bytes) {
        List<Byte> all = new ArrayList<>();
        for (byte each : bytes) {
            all.add(each);
        }
        return all;
    }

    @Test
    void aPartOfAMessageIsReadAlone() {
        byte[] message = Bytes.of("3:\ud8001:x");

        assertThat(Bytes.text(message, 2, 5)).isEqualTo("\ud800");
        assertThat(Bytes.text(message, 7, 8)).isEqualTo("x");
    }
}
