package io.github.kobe.cluster;

import io.github.kobe.internal.base.KeyText;
import java.time.Duration;
import java.util.Objects;

/** Refuses values that are out of their ranges. */
final class Range {

    private Range() {}

    static void atLeast(int least, int value, String name) {
        if (value < least) {
            throw outside(name, "at least " + least, value);
        }
    }

    static void between(long least, long most, long value, String name) {
        if (value < least || value > most) {
            throw outside(name, least + " to " + most, value);
        }
    }

    static void notNegative(Duration value, String name) {
        if (Objects.requireNonNull(value, name).isNegative()) {
            throw outside(name, "zero or more", value);
        }
    }

    /** {@return a text from outside, as it can be shown} */
    static String shown(String text) {
        return "'" + KeyText.printable(text) + "'";
    }

    static IllegalArgumentException outside(String name, String allowed, Object value) {
        return new IllegalArgumentException(name + " must be " + allowed + ", was " + value);
    }
}
