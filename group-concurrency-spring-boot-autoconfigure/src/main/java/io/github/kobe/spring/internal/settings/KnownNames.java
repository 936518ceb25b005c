package io.github.kobe.spring.internal.settings;

import io.github.kobe.spring.InvalidSettingException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/** The names of the settings, and the most likely intended one for an unknown name. */
final class KnownNames {

    /** What is bound by itself, each as strictly. */
    private static final Set<String> OF_OTHERS = Set.of("rollout", "scope", "dashboard");

    /** What earlier snapshots called a setting, or had, and what to write now; below the prefix. */
    private static final Map<ConfigurationPropertyName, String> EARLIER = Map.ofEntries(
            earlier("max-in-flight", "global.max-in-flight"),
            earlier("queue-threshold", "global.queue-threshold"),
            earlier("aspect.enabled", "annotation.enabled"),
            earlier("aspect.order", "annotation.order"),
            earlier("aspect.bean-references", "annotation.bean-references"),
            earlier("metrics.max-groups", "metrics.max-tag-values"),
            earlier("health.global-queue", "health.queue"),
            earlier("rollout.max-concurrency", "rollout.tenants-at-once"),
            earlier("rollout.progress-interval", ""),
            earlier("flight-recorder.enabled", ""));

    private static final String EARLIER_MISSING_KEY_GROUP = ".missingkeygroup";

    /** The end of a setting that may have any name, such as a header. */
    private static final String OF_ANY_NAME = ".NAME";

    private static final int PREFIX_LENGTH =
            uniform(GroupConcurrencyProperties.PREFIX).length() + 1;

    /** With more slips than this in the prefix, another name is meant. */
    private static final int SLIPS_IN_PREFIX = 2;

    private KnownNames() {}

    private static Map.Entry<ConfigurationPropertyName, String> earlier(String name, String now) {
        return Map.entry(ConfigurationPropertyName.of(GroupConcurrencyProperties.PREFIX + "." + name), now);
    }

    /** {@return the names of earlier snapshots, but for those in lists} */
    static Set<ConfigurationPropertyName> earlier() {
        return EARLIER.keySet();
    }

    /**
     * {@return whether a first name is near to the prefix, and isn't it: Spring Boot reads only letters and digits} One that
     * begins or ends with it was made from it.
     */
    static boolean isNearlyPrefix(String first) {
        if (Math.abs(first.length() - GroupConcurrencyProperties.PREFIX.length()) > SLIPS_IN_PREFIX + 1) {
            return false;
        }
        String prefix = uniform(GroupConcurrencyProperties.PREFIX);
        String read = first.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
        return !read.contains(prefix) && distance(read, prefix) <= SLIPS_IN_PREFIX;
    }

    /** {@return whether a name is bound by itself, not with all the others} */
    static boolean isOfOthers(ConfigurationPropertyName name) {
        return name.getNumberOfElements() > 1 && OF_OTHERS.contains(name.getElement(1, Form.UNIFORM));
    }

    /**
     * {@return the exception for a name that a jar binds which isn't there; {@code null}: the jar is there, or the name isn't
     * of a jar of its own}
     */
    static @Nullable InvalidSettingException withoutJar(ConfigurationProperty property) {
        return OtherJar.of(property.getName().getElement(1, Form.UNIFORM))
                .filter(jar -> jar.isMissing(null))
                .map(jar -> InvalidSettings.of(
                        property,
                        "is of a jar that isn't on the class path",
                        "nothing below " + GroupConcurrencyProperties.PREFIX + "." + jar.element() + ", or the jar "
                                + jar.coordinates() + " on the class path",
                        null))
                .orElse(null);
    }

    /**
     * Refuses an unknown name, or a known one without a value: Spring Boot takes that for no setting.
     *
     * @param unknown the property that has it
     * @param prefix what all names begin with that were bound
     * @param settings the record that they were bound to
     * @param cause what found it out
     * @return the exception to throw
     */
    static InvalidSettingException refusal(
            ConfigurationProperty unknown,
            ConfigurationPropertyName prefix,
            Class<?> settings,
            @Nullable Throwable cause) {
        List<String> near = namesAround(unknown.getName(), prefix, settings);
        String written = uniform(unknown.getName().toString());
        if (near.stream().anyMatch(name -> uniform(name).equals(written))) {
            return InvalidSettings.of(
                    unknown, "has no value", "a value; without the setting its default applies", cause);
        }
        InvalidSettingException renamed = renamed(unknown, written, cause);
        if (renamed != null) {
            return renamed;
        }
        Optional<String> meant = RateForms.meantInList(unknown.getName())
                .or(() -> meantBy(written, near))
                .or(() -> ofOthersMeantBy(unknown.getName()));
        return InvalidSettings.of(
                unknown,
                "is unknown"
                        + meant.map(name -> ". Did you mean '" + name + "'?").orElse(""),
                meant.orElse("one of " + String.join(", ", near)),
                cause);
    }

    private static @Nullable InvalidSettingException renamed(
            ConfigurationProperty unknown, String written, @Nullable Throwable cause) {
        if (written.endsWith(EARLIER_MISSING_KEY_GROUP)) {
            return InvalidSettings.of(
                    unknown, "is no longer there", "missing-key with the key of the group in its place", cause);
        }
        String now = EARLIER.get(unknown.getName());
        if (now == null) {
            return null;
        }
        return now.isEmpty()
                ? InvalidSettings.of(unknown, "is no longer there", "nothing in its place", cause)
                : InvalidSettings.of(
                        unknown,
                        "has another name now",
                        GroupConcurrencyProperties.PREFIX + "." + now + " in its place",
                        cause);
    }

    /** Inside of an element of a map or a list, that element's names; else all that are outside of them. */
    private static List<String> namesAround(
            ConfigurationPropertyName unknown, ConfigurationPropertyName prefix, Class<?> settings) {
        List<String> names = new ArrayList<>();
        add(settings, prefix, unknown, names);
        String element = unknown.getParent() + ".";
        List<String> ofElement = names.stream()
                .filter(name -> name.startsWith(element) && isInElement(unknown))
                .toList();
        return ofElement.isEmpty() ? names : ofElement;
    }

    private static boolean isInElement(ConfigurationPropertyName name) {
        int elements = name.getNumberOfElements();
        return elements > 2 && (name.isNumericIndex(elements - 2) || placeOfKey(name) > 0);
    }

    /** {@return the place of a group's key in a name; -1: it is of no group in a map} */
    static int placeOfKey(ConfigurationPropertyName name) {
        int elements = name.getNumberOfElements();
        int map = elements > 1 && name.getElement(1, Form.UNIFORM).equals(BoundSettings.DATASOURCE) ? 2 : 1;
        return elements > map + 1 && name.getElement(map, Form.UNIFORM).equals("groups") ? map + 1 : -1;
    }

    /** Adds the names of a record's settings; of those in a map or a list only for the key that the unknown name has. */
    private static void add(
            Class<?> type, ConfigurationPropertyName prefix, ConfigurationPropertyName unknown, List<String> names) {
        for (RecordComponent component : type.getRecordComponents()) {
            ConfigurationPropertyName name = prefix.append(DataObjectPropertyName.toDashedForm(component.getName()));
            Class<?> elements =
                    ResolvableType.forType(component.getGenericType()).getGenerics().length == 0
                            ? component.getType()
                            : lastOf(ResolvableType.forType(component.getGenericType())
                                    .resolveGenerics(Object.class));
            int depth = name.getNumberOfElements();
            if (component.getType().isRecord()) {
                if (component.getType() == GroupConcurrencyProperties.RateSetting.class) {
                    names.add(name.toString());
                }
                add(component.getType(), name, unknown, names);
            } else if (elements.isRecord() && name.isAncestorOf(unknown) && unknown.getNumberOfElements() > depth + 1) {
                add(elements, unknown.chop(depth + 1), unknown, names);
            } else {
                names.add(name + (component.getType() == Map.class && !elements.isRecord() ? OF_ANY_NAME : ""));
            }
        }
    }

    private static Class<?> lastOf(Class<?>[] types) {
        return types[types.length - 1];
    }

    /**
     * A limit in the wrong place is told by its last part, any other slip by how little there is between the two. Of several
     * that are as near, one with the same first part is meant.
     */
    private static Optional<String> meantBy(String unknown, List<String> names) {
        int most = Math.max(1, (unknown.length() - PREFIX_LENGTH) / 4);
        return names.stream()
                .map(name -> {
                    int elsewhere = 1 + distance(last(unknown), last(uniform(name)));
                    int there = name.endsWith(OF_ANY_NAME)
                            ? distance(beforeLast(unknown), beforeLast(uniform(name)))
                            : distance(unknown, uniform(name));
                    return Map.entry(name, Math.min(elsewhere, there));
                })
                .filter(entry -> entry.getValue() <= most)
                .min(Comparator.<Map.Entry<String, Integer>>comparingInt(Map.Entry::getValue)
                        .thenComparing(entry -> !first(uniform(entry.getKey())).equals(first(unknown))))
                .map(Map.Entry::getKey);
    }

    private static String beforeLast(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }

    private static String first(String name) {
        String below = name.substring(Math.min(name.length(), PREFIX_LENGTH));
        return below.substring(0, Math.max(0, below.indexOf('.')));
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** What is bound by itself has names that aren't known here, so only their beginning is looked at. */
    private static Optional<String> ofOthersMeantBy(ConfigurationPropertyName unknown) {
        if (unknown.getNumberOfElements() < 3) {
            return Optional.empty();
        }
        String first = unknown.getElement(1, Form.UNIFORM);
        return OF_OTHERS.stream()
                .filter(other -> distance(first, other) == 1)
                .map(other -> GroupConcurrencyProperties.PREFIX + "." + other
                        + unknown.toString()
                                .substring(unknown.chop(2).toString().length()))
                .findFirst();
    }

    private static String uniform(String name) {
        return name.replace("-", "");
    }

    /** {@return how many characters have to be changed, added or taken away (Levenshtein)} */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
