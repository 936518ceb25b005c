package io.github.kobe.rollout;

import java.util.regex.Pattern;

/** Texts from outside, which go into logs and databases. */
final class Texts {

    private static final Pattern CONTROL = Pattern.compile("\\p{Cc}");

    private Texts() {}

    /** {@return the text with spaces in place of control characters} A database may refuse them, and a log show lines that nobody wrote. */
    static String clean(String text) {
        return hasControl(text) ? CONTROL.matcher(text).replaceAll(" ") : text;
    }

    static boolean hasControl(String text) {
        return CONTROL.matcher(text).find();
    }
}
