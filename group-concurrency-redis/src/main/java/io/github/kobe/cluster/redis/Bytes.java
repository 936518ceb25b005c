package io.github.kobe.cluster.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Texts as bytes, and back, without loss. It is UTF-8, in which half of a surrogate pair, which a key may have, is encoded like
 * any other character: as {@code ?} two keys would be the same.
 */
final class Bytes {

    private static final int FIRST_OF_SURROGATES = 0xED;
    private static final int LEAST_SECOND = 0xA0;

    private Bytes() {}

    static byte[] of(String text) {
        int at = loneSurrogate(text, 0);
        if (at < 0) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int from = 0;
        for (; at >= 0; at = loneSurrogate(text, from)) {
            bytes.writeBytes(text.substring(from, at).getBytes(StandardCharsets.UTF_8));
            char half = text.charAt(at);
            bytes.write(0xE0 | (half >> 12));
            bytes.write(0x80 | ((half >> 6) & 0x3F));
            bytes.write(0x80 | (half & 0x3F));
            from = at + 1;
        }
        bytes.writeBytes(text.substring(from).getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    private static int loneSurrogate(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                int character = text.codePointAt(i);
                if (!Character.isSupplementaryCodePoint(character)) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    static String text(byte[] bytes) {
        return text(bytes, 0, bytes.length);
    }

    static String text(byte[] bytes, int from, int to) {
        StringBuilder text = new StringBuilder();
        int start = from;
        for (int i = from; i + 2 < to; i++) {
            if ((bytes[i] & 0xFF) == FIRST_OF_SURROGATES && (bytes[i + 1] & 0xFF) >= LEAST_SECOND) {
                text.append(new String(bytes, start, i - start, StandardCharsets.UTF_8));
                text.append((char) (0xD000 | ((bytes[i + 1] & 0x3F) << 6) | (bytes[i + 2] & 0x3F)));
                i += 2;
                start = i + 1;
            }
        }
        String rest = new String(bytes, start, to - start, StandardCharsets.UTF_8);
        return text.isEmpty() ? rest : text.append(rest).toString();
    }
}
