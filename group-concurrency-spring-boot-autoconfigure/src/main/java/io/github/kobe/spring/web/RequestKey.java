package io.github.kobe.spring.web;

import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.KeySource;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Normalize;
import io.github.kobe.spring.web.Newcomers.Place;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a rule finds the group of a request.
 *
 * @param source where the key is; {@code null}: a bean of the application supplies it
 * @param name the name of the header, or of the path variable
 * @param prefix what the group's key begins with, before the request's part
 * @param normalize which spellings are the same key
 * @param matchesPrincipal whether the key has to be the name of the logged-in user
 * @param whenMissing what becomes of a request without a key
 * @param newcomers decides which keys have a group of their own
 */
record RequestKey(
        @Nullable KeySource source,
        String name,
        String prefix,
        Normalize normalize,
        boolean matchesPrincipal,
        Verdict whenMissing,
        Newcomers newcomers) {

    /**
     * What becomes of a request.
     *
     * @param refusal why it isn't let in; {@code null}: it is
     * @param place where it is limited; {@code null}: nowhere
     */
    record Verdict(
            @Nullable RejectionProblem refusal, @Nullable Place place) {

        static final Verdict PASSES = new Verdict(null, null);

        static Verdict refused(RejectionProblem why) {
            return new Verdict(why, null);
        }

        static Verdict limited(Place where) {
            return new Verdict(null, where);
        }
    }

    /**
     * Decides on a request.
     *
     * @param said what the request says, or the key that the application's bean gave it
     * @param user the name of the logged-in user, if that is asked for and there is one
     * @param policy knows the keys
     */
    Verdict decide(@Nullable String said, @Nullable String user, GroupPolicy policy) {
        if (said == null || said.isBlank()) {
            return whenMissing;
        }
        String part = source == null ? said : canonical(said);
        if (part.isEmpty()) {
            return whenMissing;
        }
        if (matchesPrincipal && (user == null || !part.equals(canonical(user)))) {
            return Verdict.refused(RejectionProblem.OF_SOMEBODY_ELSE);
        }
        String key = source == null ? part : prefix + part;
        return key.length() > policy.maxKeyLength()
                ? Verdict.refused(RejectionProblem.NO_KEY)
                : Verdict.limited(newcomers.place(key, policy));
    }

    /** {@return whether a request can have a key, in some spelling} */
    boolean canBe(String key) {
        return source == null || (hasPrefixOf(key) && key.equals(prefix + canonical(key.substring(prefix.length()))));
    }

    /** {@return whether a key looks like one of these} */
    boolean hasPrefixOf(String key) {
        return key.startsWith(prefix) && key.length() > prefix.length();
    }

    private String canonical(String text) {
        return switch (normalize) {
            case NONE -> text;
            case TRIM -> trimmed(text);
            case LOWER_CASE -> trimmed(text).toLowerCase(Locale.ROOT);
        };
    }

    /** {@return a text without spaces of any kind at its ends, those that don't break included} */
    private static String trimmed(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isSpace(text.charAt(from))) {
            from++;
        }
        while (to > from && isSpace(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isSpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }
}
