package io.github.kobe.spring.internal.settings;

import io.github.kobe.spring.InvalidSettingException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Refuses group keys that Spring Boot would change silently: outside brackets it drops every character but letters,
 * digits, {@code -} and {@code _}, and takes a dot for the end of the key.
 */
final class GroupKeySpelling {

    /** The prefix in any spelling that Boot accepts, that of connections perhaps, then the group's key and setting. */
    private static final Pattern UNDER_GROUPS = Pattern.compile(
            "group[-_]?concurrency\\.(?<connections>data[-_]?source\\.)?groups"
                    + "(?:\\.?(?<bracketed>\\[.*)|\\.(?<plain>[^\\[].*))",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern PLAIN_KEY = Pattern.compile("[A-Za-z0-9_-]+");

    /** A rate is the one limit that may have parts. */
    private static final Pattern PART_OF_RATE = Pattern.compile("(?<=\\.rate)\\.[^.]+$", Pattern.CASE_INSENSITIVE);

    /** One of a list of rates, and perhaps a part of it: what has brackets after the key. */
    private static final Pattern RATE_IN_LIST =
            Pattern.compile("(?<=\\.rates)\\[\\d+](?:\\.[^\\[\\]]*)?$", Pattern.CASE_INSENSITIVE);

    private static final Set<String> SETTINGS = Stream.concat(
                    Stream.of(LimitSetting.values())
                            .map(setting -> setting.property().replace("-", "")),
                    Stream.of(RateForms.LIST))
            .collect(Collectors.toUnmodifiableSet());

    private GroupKeySpelling() {}

    /**
     * Looks at a name.
     *
     * @throws InvalidSettingException if Spring Boot would change a key
     */
    static void check(WrittenName written) {
        String name = written.name();
        Matcher matcher = UNDER_GROUPS.matcher(RATE_IN_LIST.matcher(name).replaceFirst(""));
        if (!matcher.matches()) {
            return;
        }
        String list = GroupConcurrencyProperties.PREFIX
                + (matcher.group("connections") == null ? "" : "." + BoundSettings.DATASOURCE) + ".group-list";
        String bracketed = matcher.group("bracketed");
        if (bracketed != null) {
            checkInBrackets(bracketed, written, list);
            return;
        }
        String key = keyOutsideBrackets(matcher.group("plain"));
        requireText(key, written);
        if (!PLAIN_KEY.matcher(key).matches()) {
            String problem = "has the group key '" + key + "' outside brackets, where Spring Boot drops characters";
            throw refused(written, problem, spellings(key, list));
        }
    }

    private static void checkInBrackets(String rest, WrittenName written, String list) {
        int end = rest.indexOf(']');
        if (rest.startsWith("[[") && end > 0) {
            String key = rest.substring(2, end);
            throw refused(
                    written,
                    "has the group key [" + key + "] without quotes, which YAML reads as a list",
                    spellings(key, list));
        }
        if (end < 0) {
            String key = keyOutsideBrackets(rest.substring(1));
            requireText(key, written);
            String problem = "has no closing bracket behind the group key '" + key + "'";
            throw refused(written, problem, key.contains("[") ? inList(key, list) : spellings(key, list));
        }
        if (rest.indexOf('[', 1) >= 0 || rest.indexOf(']', end + 1) >= 0) {
            String key = rest.substring(1, rest.lastIndexOf(']'));
            throw refused(written, "has a bracket inside the group key '" + key + "'", inList(key, list));
        }
        requireText(rest.substring(1, end), written);
    }

    private static void requireText(String key, WrittenName written) {
        if (key.isBlank()) {
            throw refused(written, "has a blank group key", "a group key or pattern");
        }
    }

    /** All up to the setting, since a dot may belong to what was meant as the key. */
    private static String keyOutsideBrackets(String written) {
        String rest = PART_OF_RATE.matcher(written).replaceFirst("");
        int lastDot = rest.lastIndexOf('.');
        if (lastDot < 0) {
            return rest;
        }
        String last =
                rest.substring(lastDot + 1).replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
        return SETTINGS.contains(last) ? rest.substring(0, lastDot) : rest.substring(0, rest.indexOf('.'));
    }

    private static String spellings(String key, String list) {
        return "\"[%s]\" as the key in YAML, groups[%s] in a properties file, or %s"
                .formatted(key, key, inList(key, list));
    }

    private static String inList(String key, String list) {
        return "an element of %s with key: \"%s\"".formatted(list, key);
    }

    private static InvalidSettingException refused(WrittenName written, String problem, String allowed) {
        @Nullable Object value = written.source().getProperty(written.name());
        return InvalidSettings.of(
                written.name(),
                value == null ? null : value.toString(),
                written.origin().toString(),
                problem,
                allowed,
                null);
    }
}
