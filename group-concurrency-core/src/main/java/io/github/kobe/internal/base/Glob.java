package io.github.kobe.internal.base;

/**
 * A pattern in which {@code *} stands for any number of characters, including none, and every other character for
 * itself.
 *
 * <p>Matching is greedy from the left with one point to come back to, the classic wildcard algorithm: linear for usual
 * patterns, at worst the product of the two lengths, and never recursive.
 */
final class Glob {

    private static final char ANY = '*';

    private final String pattern;
    private final int literals;

    /** Makes a matcher of {@code pattern}; every text is a pattern. */
    Glob(String pattern) {
        this.pattern = pattern;
        this.literals = (int) pattern.chars().filter(c -> c != ANY).count();
    }

    /** {@return the pattern's text} */
    String pattern() {
        return pattern;
    }

    /** {@return how many characters stand for themselves: the more, the closer a match} */
    int literals() {
        return literals;
    }

    /** {@return whether the whole of {@code text} fits the pattern} */
    boolean matches(String text) {
        int p = 0;
        int t = 0;
        int lastAny = -1;
        int resume = 0;
        while (t < text.length()) {
            if (p < pattern.length() && pattern.charAt(p) == ANY) {
                lastAny = p++;
                resume = t;
            } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
                p++;
                t++;
            } else if (lastAny >= 0) {
                p = lastAny + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == ANY) {
            p++;
        }
        return p == pattern.length();
    }
}
