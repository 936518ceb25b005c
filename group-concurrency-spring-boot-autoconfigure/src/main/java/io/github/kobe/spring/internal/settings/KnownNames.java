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
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
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

    /** With more slips than this in the prefix, another name is meant. */
    private static final int SLIPS_IN_PREFIX = 2;

    /** With so many slips in an element of a name, another one is meant. */
    private static final int FAR = Integer.MAX_VALUE;

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
     * {@return whether a setting has a name, or is in the list or map that has it, or below it}
     *
     * @param prefix what all names begin with that were bound
     * @param settings the record that they were bound to
     */
    static boolean isKnown(ConfigurationPropertyName name, ConfigurationPropertyName prefix, Class<?> settings) {
        ConfigurationPropertyName place = name.isLastElementIndexed() ? name.getParent() : name;
        String written = uniform(place.toString());
        return placeOfKey(name.append("any")) == name.getNumberOfElements() - 1
                || namesAround(name, prefix, settings).stream()
                        .map(KnownNames::uniform)
                        .anyMatch(known -> known.equals(written)
                                || known.startsWith(written + ".")
                                || (known.endsWith(OF_ANY_NAME) && written.startsWith(beforeLast(known) + ".")));
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
        String written = uniform(unknown.getName().toString());
        if (namesAround(unknown.getName(), prefix, settings).stream()
                .anyMatch(name -> uniform(name).equals(written))) {
            return InvalidSettings.of(
                    unknown, "has no value", "a value; without the setting its default applies", cause);
        }
        InvalidSettingException renamed = renamed(unknown, written, cause);
        if (renamed != null) {
            return renamed;
        }
        ConfigurationPropertyName read = inList(unknown.getName());
        List<String> names = namesAround(read, prefix, settings);
        ConfigurationPropertyName place = placeOf(read, names);
        List<String> below = below(place, names);
        Optional<String> meant = RateForms.meantInList(unknown.getName())
                .or(() -> meantBySlip(read, names))
                .or(() -> ofOthersMeantBy(unknown.getName()))
                .or(() -> place.getNumberOfElements() > 1 ? Optional.empty() : ofGroupMeantBy(read, settings))
                .or(() -> deeperMeantBy(read, below))
                .or(() -> besideMeantBy(read, below));
        return InvalidSettings.of(
                unknown,
                "is unknown"
                        + meant.map(name -> ". Did you mean '" + name + "'?").orElse(""),
                meant.orElse("one of " + String.join(", ", below)),
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

    /** In a list, elements have indexes; in a map, they have keys. */
    private static ConfigurationPropertyName inList(ConfigurationPropertyName name) {
        int key = placeOfKey(name);
        return key > 0 && name.isNumericIndex(key)
                ? ConfigurationPropertyName.adapt(name.chop(key - 1) + ".group-list" + rest(name, key), '.')
                : name;
    }

    private static String rest(ConfigurationPropertyName name, int elements) {
        return name.toString().substring(name.chop(elements).toString().length());
    }

    /** {@return the nearest place above a name that has settings} */
    private static ConfigurationPropertyName placeOf(ConfigurationPropertyName unknown, List<String> names) {
        ConfigurationPropertyName place = unknown.getParent();
        while (below(place, names).isEmpty()) {
            place = place.getParent();
        }
        return place;
    }

    private static List<String> below(ConfigurationPropertyName place, List<String> names) {
        String beginning = uniform(place.toString()) + ".";
        return names.stream()
                .filter(name -> uniform(name).startsWith(beginning))
                .toList();
    }

    private static Optional<String> meantBySlip(ConfigurationPropertyName unknown, List<String> names) {
        return nearest(names, name -> slips(unknown.toString(), name));
    }

    /** The limits of a group, not below {@code groups}. */
    private static Optional<String> ofGroupMeantBy(ConfigurationPropertyName unknown, Class<?> settings) {
        boolean isMisspelt = slips(unknown.getElement(1, Form.UNIFORM), "groups") < FAR;
        ConfigurationPropertyName prefix = unknown.chop(1);
        ConfigurationPropertyName moved =
                ConfigurationPropertyName.adapt(prefix + ".groups" + rest(unknown, isMisspelt ? 2 : 1), '.');
        return meantBySlip(moved, namesAround(moved, prefix, settings));
    }

    /** The end of a name that is further down. A part of a rate says too little by its end. */
    private static Optional<String> deeperMeantBy(ConfigurationPropertyName unknown, List<String> below) {
        String last = last(uniform(unknown.toString()));
        return nearest(below, name -> last(beforeLast(name)).equals("rate") ? FAR : slips(last, last(name)));
    }

    /** The one name beside an unknown one that has a word of it. */
    private static Optional<String> besideMeantBy(ConfigurationPropertyName unknown, List<String> below) {
        String parent = uniform(unknown.getParent().toString());
        String last = last(uniform(unknown.toString()));
        List<String> beside = below.stream()
                .filter(name -> unknown.getNumberOfElements() > 2
                        && uniform(beforeLast(name)).equals(parent)
                        && Stream.of(last(name).split("-")).anyMatch(word -> word.length() > 2 && last.contains(word)))
                .toList();
        return beside.size() == 1 ? Optional.of(beside.getFirst()) : Optional.empty();
    }

    private static Optional<String> nearest(List<String> names, ToIntFunction<String> slips) {
        return names.stream().filter(name -> slips.applyAsInt(name) < FAR).min(Comparator.comparingInt(slips));
    }

    /** {@return whether a name differs from another one only by a few characters of its elements} */
    static boolean isSlip(String written, String meant) {
        return slips(written, meant) < FAR;
    }

    /** {@return how many characters are wrong; {@link #FAR}: too many in one element} */
    private static int slips(String written, String meant) {
        if (meant.endsWith(OF_ANY_NAME)) {
            return slips(beforeLast(written), beforeLast(meant));
        }
        String[] wrong = uniform(written).split("\\.", -1);
        String[] right = uniform(meant).split("\\.", -1);
        int slips = 0;
        for (int i = 0; i < wrong.length; i++) {
            int further = wrong.length == right.length ? distance(wrong[i], right[i]) : FAR;
            if (further > Math.max(1, wrong[i].length() / 4)) {
                return FAR;
            }
            slips += further;
        }
        return slips;
    }

    private static String beforeLast(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
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

    /** {@return how many characters have to be changed, added, taken away or swapped (Damerau-Levenshtein)} */
    private static int distance(String a, String b) {
        int[][] least = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    least[i][j] = i + j;
                    continue;
                }
                int changed = least[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                least[i][j] = Math.min(changed, Math.min(least[i - 1][j], least[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    least[i][j] = Math.min(least[i][j], least[i - 2][j - 2] + 1);
                }
            }
        }
        return least[a.length()][b.length()];
    }
}
