package io.github.kobe.testing;

import java.util.Arrays;
import java.util.Locale;

/**
 * How much is tested, by the build's property {@code depth}, which it hands on as {@code test.depth}: {@code short} is what everybody runs, {@code deep} what
 * continuous integration runs, {@code long} what runs now and then. Whatever can be done more or less often asks here.
 */
public enum Depth {
    SHORT,
    DEEP,
    LONG;

    private static final String PROPERTY = "test.depth";
    private static final Depth CURRENT = of(System.getProperty(PROPERTY, SHORT.toString()));

    /** {@return the depth of this build} */
    public static Depth current() {
        return CURRENT;
    }

    /** {@return the one that is meant for the depth of this build} */
    public static <T> T pick(T inShort, T inDeep, T inLong) {
        return switch (CURRENT) {
            case SHORT -> inShort;
            case DEEP -> inDeep;
            case LONG -> inLong;
        };
    }

    /**
     * {@return the random seed to play} It is the system property {@code seed}, if that is set. Otherwise a short build
     * takes the same one each time, so that nobody who has just cloned the repository is the first to meet an old error,
     * and the others take a new one, which the failure should tell.
     */
    public static long seed() {
        return Long.getLong("seed", CURRENT == SHORT ? 1 : System.nanoTime());
    }

    private static Depth of(String text) {
        return Arrays.stream(values())
                .filter(depth -> depth.toString().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        PROPERTY + " is '" + text + "'; it must be one of " + Arrays.toString(values())));
    }

    /** {@return as the property has it} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
