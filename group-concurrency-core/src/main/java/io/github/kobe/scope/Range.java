package io.github.kobe.scope;

import java.time.Duration;
import java.util.Objects;

/** Refuses settings that are out of their ranges. */
final class Range {

    private Range() {}

    static int atLeast(int least, int value, String setting) {
        if (value < least) {
            throw outside(setting, "at least " + least, value);
        }
        return value;
    }

    static Duration positive(Duration value, String setting) {
        if (!Objects.requireNonNull(value, setting).isPositive()) {
            throw outside(setting, "more than zero", value);
        }
        return value;
    }

    static Duration notNegative(Duration value, String setting) {
        if (Objects.requireNonNull(value, setting).isNegative()) {
            throw outside(setting, "zero or more", value);
        }
        return value;
    }

    static IllegalArgumentException outside(String setting, String allowed, Object value) {
        return new IllegalArgumentException(setting + " must be " + allowed + ", was " + value);
    }
}
