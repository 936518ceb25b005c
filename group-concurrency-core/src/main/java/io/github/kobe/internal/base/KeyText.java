package io.github.kobe.internal.base;

/** Makes keys, which come from outside, safe to show in logs, exception texts and thread names. */
public final class KeyText {

    /** The longest text that is shown of a key, in characters. */
    public static final int MAX_LENGTH = 128;

    private static final char REPLACEMENT = '_';

    private KeyText() {}

    /**
     * Returns {@code key} with each control, line-separating and bidirectional formatting character replaced by
     * {@code _}, cut at {@value #MAX_LENGTH} characters, never inside a surrogate pair.
     */
    public static String printable(String key) {
        int end = Math.min(key.length(), MAX_LENGTH);
        if (end < key.length() && Character.isHighSurrogate(key.charAt(end - 1))) {
            end--;
        }
        int at = 0;
        while (at < end && isPrintable(key.charAt(at))) {
            at++;
        }
        if (at == key.length()) {
            return key;
        }
        char[] text = key.substring(0, end).toCharArray();
        for (; at < end; at++) {
            if (!isPrintable(text[at])) {
                text[at] = REPLACEMENT;
            }
        }
        return new String(text);
    }

    private static boolean isPrintable(char c) {
        if (c >= ' ' && c < 0x7f) {
            return true;
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /**
     * Checks that a group key is more than white space.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public static void requireText(String key) {
        if (key.isBlank()) {
            throw new IllegalArgumentException(
                    "The group key '" + printable(key) + "' is blank; allowed: a text that is more than white space");
        }
    }
}
