package io.github.kobe.spring.internal.settings;

import io.github.kobe.spring.InvalidSettingException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses group keys that Spring Boot would change silently: outside brackets it drops every character but letters,
 * digits, {@code -} and {@code _}, and takes a dot for the end of the key.
 *
 * <p>It reads the names as they are written, before binding. Environment variables are left out: their names are always
 * changed, and their original spelling is unknown.
 */
public final class GroupKeySpelling {

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
     * Looks at all names.
     *
     * @param environment where they are
     * @throws InvalidSettingException if Spring Boot would change a key
     */
    public static void check(ConfigurableEnvironment environment) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable
                    && !(source instanceof SystemEnvironmentPropertySource)) {
                for (String name : enumerable.getPropertyNames()) {
                    check(name, enumerable);
                }
            }
        }
    }

    private static void check(String name, EnumerablePropertySource<?> source) {
        Matcher matcher = UNDER_GROUPS.matcher(RATE_IN_LIST.matcher(name).replaceFirst(""));
        if (!matcher.matches()) {
            return;
        }
        String list = GroupConcurrencyProperties.PREFIX
                + (matcher.group("connections") == null ? "" : "." + BoundSettings.DATASOURCE) + ".group-list";
        String bracketed = matcher.group("bracketed");
        if (bracketed != null) {
            checkInBrackets(bracketed, name, source, list);
            return;
        }
        String key = keyOutsideBrackets(matcher.group("plain"));
        requireText(key, name, source);
        if (!PLAIN_KEY.matcher(key).matches()) {
            String problem = "has the group key '" + key + "' outside brackets, where Spring Boot drops characters";
            throw refused(name, source, problem, spellings(key, list));
        }
    }

    private static void checkInBrackets(String rest, String name, EnumerablePropertySource<?> source, String list) {
        int end = rest.indexOf(']');
        if (rest.startsWith("[[") && end > 0) {
            String key = rest.substring(2, end);
            throw refused(
                    name,
                    source,
                    "has the group key [" + key + "] without quotes, which YAML reads as a list",
                    spellings(key, list));
        }
        if (end < 0) {
            String key = keyOutsideBrackets(rest.substring(1));
            requireText(key, name, source);
            String problem = "has no closing bracket behind the group key '" + key + "'";
            throw refused(name, source, problem, key.contains("[") ? inList(key, list) : spellings(key, list));
        }
        if (rest.indexOf('[', 1) >= 0 || rest.indexOf(']', end + 1) >= 0) {
            String key = rest.substring(1, rest.lastIndexOf(']'));
            throw refused(name, source, "has a bracket inside the group key '" + key + "'", inList(key, list));
        }
        requireText(rest.substring(1, end), name, source);
    }

    private static void requireText(String key, String name, EnumerablePropertySource<?> source) {
        if (key.isBlank()) {
            throw refused(name, source, "has a blank group key", "a group key or pattern");
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

    private static InvalidSettingException refused(
            String name, EnumerablePropertySource<?> source, String problem, String allowed) {
        @Nullable Object value = source.getProperty(name);
        Origin origin = PropertySourceOrigin.get(source, name);
        return InvalidSettings.of(
                name, value == null ? null : value.toString(), origin.toString(), problem, allowed, null);
    }
}
