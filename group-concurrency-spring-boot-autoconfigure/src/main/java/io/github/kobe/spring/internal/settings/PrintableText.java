package io.github.kobe.spring.internal.settings;

/** Makes keys, which come from outside, and messages that may contain one, safe to show. */
public final class PrintableText {

    private static final int LONGEST_KEY = 128;

    private PrintableText() {}

    /**
     * Makes a key fit for a line of the log.
     *
     * @param key the key
     * @return the key in one line, of 128 characters at most
     */
    public static String ofKey(String key) {
        int end = Math.min(key.length(), LONGEST_KEY);
        if (end < key.length() && Character.isHighSurrogate(key.charAt(end - 1))) {
            end--;
        }
        return inOneLine(key.substring(0, end));
    }

    /**
     * Makes a text fit for a line of the log.
     *
     * @param text the text
     * @return the text with {@code _} in place of each character that breaks, hides or reorders what is shown
     */
    public static String inOneLine(String text) {
        return text.replaceAll("[\\p{Cntrl}\\x{80}-\\x{9f}\\p{Cf}\\p{Zl}\\p{Zp}]", "_");
    }

    /**
     * Makes a text fit for UTF-8. A JSON writer fails at half a surrogate pair, and with it the whole response.
     *
     * @param text the text
     * @return the text with U+FFFD in place of each half of a surrogate pair that stands alone
     */
    public static String wellFormed(String text) {
        return text.codePoints()
                .map(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xfffd : point)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
