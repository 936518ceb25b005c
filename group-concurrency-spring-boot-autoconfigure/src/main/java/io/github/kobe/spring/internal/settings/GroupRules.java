package io.github.kobe.spring.internal.settings;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Limits;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The limits of groups that one executor has from the settings: {@code defaults}, {@code groups} and {@code group-list}. The engine
 * checks the numbers; its complaints are reported as the property, its value and where it is written.
 */
public final class GroupRules {

    private static final Log LOGGER = LogFactory.getLog(GroupRules.class);

    /** What the engine's names of the numbers of all groups begin with. */
    private static final String OF_DEFAULTS = "^defaults\\.";

    /** In place of a key, which is never empty. */
    private static final String OF_ALL = "";

    private final BoundSettings settings;

    /** What the three have before them in their names, after the prefix. */
    private final String[] place;

    private final Limits defaults;
    private final Map<String, Limits> groups;
    private final List<ListedGroup> groupList;

    private GroupRules(
            BoundSettings settings,
            String[] place,
            Limits defaults,
            Map<String, Limits> groups,
            List<ListedGroup> groupList) {
        this.settings = settings;
        this.place = place;
        this.defaults = defaults;
        this.groups = groups;
        this.groupList = groupList;
    }

    /**
     * {@return those of the starter's executor}
     *
     * @param properties the settings
     * @param settings where they came from
     */
    public static GroupRules ofTheExecutor(GroupConcurrencyProperties properties, BoundSettings settings) {
        return new GroupRules(
                settings, new String[0], properties.defaults(), properties.groups(), properties.groupList());
    }

    /**
     * {@return those of connections}
     *
     * @param properties the settings
     * @param settings where they came from
     */
    public static GroupRules ofConnections(GroupConcurrencyProperties properties, BoundSettings settings) {
        GroupConcurrencyProperties.Datasource connections = properties.datasource();
        return new GroupRules(
                settings,
                new String[] {BoundSettings.DATASOURCE},
                connections.defaults(),
                connections.groups(),
                connections.groupList());
    }

    /**
     * Begins a policy with what holds for the groups of all executors alike.
     *
     * @param properties the settings
     * @return a builder that has it
     */
    public static GroupPolicy.Builder commonPolicy(GroupConcurrencyProperties properties) {
        GroupPolicy.Builder builder = GroupPolicy.builder()
                .maxIdleGroups(properties.maxIdleGroups())
                .idleTimeout(properties.idleTimeout())
                .maxKeyLength(properties.maxKeyLength());
        return properties.warnings().enabled()
                ? builder.warnInterval(properties.warnings().interval())
                : builder;
    }

    /**
     * Makes a policy with all limits.
     *
     * @param rest makes a builder with everything else
     * @return the policy
     * @throws InvalidSettingException if a number is out of its range, or a key is named twice
     */
    public GroupPolicy policy(Supplier<GroupPolicy.Builder> rest) {
        checkList();
        warnOfEnvironmentOnlyGroups();
        warnOfList();
        try {
            GroupPolicy.Builder builder = rest.get().defaults(defaults.toGroupLimits());
            groups.forEach((key, limits) -> add(builder, key, limits));
            groupList.forEach(group -> add(builder, String.valueOf(group.key()), group.limits()));
            GroupPolicy policy = builder.build();
            warnOfConcurrencyOutOfReach(policy);
            return policy;
        } catch (InvalidPolicyException refusal) {
            throw refusalOf(refusal);
        }
    }

    /** {@return whether the defaults guarantee something} */
    public boolean guaranteesToAll() {
        return guarantees(defaults);
    }

    /** {@return whether some group or pattern is guaranteed something} */
    public boolean guaranteesToSome() {
        return ofGroups().anyMatch(GroupRules::guarantees);
    }

    private Stream<Limits> ofGroups() {
        return Stream.concat(groups.values().stream(), groupList.stream().map(ListedGroup::limits));
    }

    private static boolean guarantees(Limits limits) {
        return limits.guaranteed() != null && limits.guaranteed() > 0;
    }

    private static void add(GroupPolicy.Builder builder, String key, Limits limits) {
        if (key.indexOf('*') >= 0) {
            builder.pattern(key, limits.toGroupLimits());
        } else {
            builder.group(key, limits.toGroupLimits());
        }
    }

    private void checkList() {
        Map<String, String[]> places = new HashMap<>();
        groups.keySet().forEach(key -> places.put(key, here("groups", key)));
        for (int i = 0; i < groupList.size(); i++) {
            String key = groupList.get(i).key();
            String[] place = here("group-list", Integer.toString(i));
            if (key == null || key.isBlank()) {
                throw settings.refusal("must name a group", "a group key or pattern", null, with(place, "key"));
            }
            String[] first = places.putIfAbsent(key, place);
            if (first != null) {
                throw settings.refusal(
                        "names a group for the second time, after "
                                + settings.originOf(first).orElseGet(() -> String.join(".", first)),
                        "each key once, here or under groups",
                        null,
                        with(place, "key"));
            }
        }
    }

    /** Environment variables can't spell every key: the group that is meant may be another one. */
    private void warnOfEnvironmentOnlyGroups() {
        Map<String, List<ConfigurationProperty>> written = settings.ofGroups(place);
        for (String key : groups.keySet()) {
            List<ConfigurationProperty> ofGroup = written.getOrDefault(key, List.of());
            if (!ofGroup.isEmpty() && ofGroup.stream().allMatch(GroupRules::isFromEnvironment)) {
                LOGGER.warn("Only environment variables name the group '" + PrintableText.ofKey(key)
                        + "' ("
                        + PrintableText.inOneLine(
                                String.valueOf(ofGroup.getFirst().getOrigin()))
                        + "); they can't express upper case, '_' and most other characters of a key. Name the group in"
                        + " a file too, or use " + GroupConcurrencyProperties.PREFIX + "."
                        + String.join(".", here("group-list")) + ".");
            }
        }
    }

    /** Spring Boot doesn't tell the first element of a list from a map's key 0 that YAML reads as a number. */
    private void warnOfList() {
        int key = place.length + 2;
        settings.ofGroups(place).getOrDefault("0", List.of()).stream()
                .filter(property -> isWrittenAsIndex(property, key))
                .findFirst()
                .ifPresent(first -> LOGGER.warn(PrintableText.inOneLine(first.getName() + " (" + first.getOrigin()
                        + ") is of the group '0'. If it is in a list, write " + GroupConcurrencyProperties.PREFIX + "."
                        + String.join(".", here("group-list"))
                        + " in place of groups, with a key in each element; if 0 is the key, write \"0\" in YAML, or "
                        + GroupConcurrencyProperties.PREFIX + "." + String.join(".", here("groups", "0"))
                        + " elsewhere.")));
    }

    /**
     * Tells of rules that let more work run than may be in flight, all in one line. That is allowed: what runs is in flight
     * too, so the smaller number counts. A rule that has only inherited its concurrency says nothing that can't be reached.
     */
    private void warnOfConcurrencyOutOfReach(GroupPolicy policy) {
        List<Map.Entry<String, GroupLimits>> outOfReach = Stream.of(
                        Map.of(OF_ALL, defaults.toGroupLimits()), policy.groups(), policy.patterns())
                .flatMap(rules -> rules.entrySet().stream())
                .filter(rule ->
                        concurrencyOf(rule) < Integer.MAX_VALUE && inFlightOf(rule, policy) < concurrencyOf(rule))
                .toList();
        if (outOfReach.isEmpty()) {
            return;
        }
        Map.Entry<String, GroupLimits> rule = outOfReach.getFirst();
        String[] setting = with(
                rule.getKey().equals(OF_ALL) ? here("defaults") : ofRule(rule.getKey()),
                LimitSetting.MAX_CONCURRENCY.property());
        String place = Optional.ofNullable(settings.find(setting))
                .map(property -> property.getName() + " (" + property.getOrigin() + ")")
                .orElseGet(() -> String.join(".", setting));
        int concurrency = concurrencyOf(rule);
        int inFlight = inFlightOf(rule, policy);
        LOGGER.warn(PrintableText.inOneLine(place + " is " + concurrency
                + " and can't be reached, since max-in-flight is " + inFlight
                + (rule.getValue().maxInFlight().isEmpty() ? ", which the rule inherits" : " in the same rule")
                + ": what runs is in flight too. Set max-in-flight of this rule to " + concurrency
                + " or more, or its max-concurrency to " + inFlight + "."
                + (outOfReach.size() == 1 ? "" : " The same holds for " + (outOfReach.size() - 1) + " more.")));
    }

    private static int concurrencyOf(Map.Entry<String, GroupLimits> rule) {
        return rule.getValue().maxConcurrency().orElse(Integer.MAX_VALUE);
    }

    private static int inFlightOf(Map.Entry<String, GroupLimits> rule, GroupPolicy policy) {
        return rule.getValue()
                .maxInFlight()
                .orElseGet(() -> policy.groups().containsKey(rule.getKey())
                        ? policy.explain(rule.getKey())
                                .maxInFlight()
                                .map(EffectiveLimit::value)
                                .orElse(Integer.MAX_VALUE)
                        : policy.defaults().maxInFlight().orElse(Integer.MAX_VALUE));
    }

    /** All properties of a group are bound by its name in the first source that has it, which may spell it in another way. */
    private static boolean isWrittenAsIndex(ConfigurationProperty property, int element) {
        return !isFromEnvironment(property)
                && property.getSource() instanceof IterableConfigurationPropertySource source
                && source.stream().anyMatch(name -> name.equals(property.getName()) && name.isNumericIndex(element));
    }

    private static boolean isFromEnvironment(ConfigurationProperty property) {
        return property.getSource() != null
                && property.getSource().getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    /**
     * Says of which setting a policy is refused.
     *
     * @param refusal why
     * @return the exception to throw
     */
    public InvalidSettingException refusalOf(InvalidPolicyException refusal) {
        String limit = refusal.setting().replaceFirst(OF_DEFAULTS, "");
        if (limit.startsWith(LimitSetting.RATE.property())) {
            List<NamedRateSetting> rates = ratesOf(refusal.rule());
            if (rates != null) {
                return translateRates(refusal, limit, rates);
            }
        }
        String[] names = limit.split("\\.", 2); // only a rate has parts
        String[] setting = refusal.rule() != null
                ? ofGroup(refusal.rule(), dashed(names[0]))
                : limit.equals(refusal.setting()) ? ofPolicy(names[0]) : here("defaults", dashed(names[0]));
        if (names.length > 1) {
            return translateRate(refusal, setting, names[1]);
        }
        String allowed = limit.equals(LimitSetting.QUEUE_TIMEOUT.field())
                ? refusal.allowed() + "; if nothing may wait, set queue-threshold to 0"
                : refusal.allowed();
        return settings.refusal("must be " + refusal.allowed(), allowed, refusal, setting);
    }

    /** {@return the list of rates of a rule; {@code null}: it has none} */
    private @Nullable List<NamedRateSetting> ratesOf(@Nullable String rule) {
        if (rule == null) {
            return defaults.rates();
        }
        Limits limits = groups.get(rule);
        return limits != null
                ? limits.rates()
                : groupList.stream()
                        .filter(group -> rule.equals(group.key()))
                        .findFirst()
                        .map(ListedGroup::rates)
                        .orElse(null);
    }

    /** The engine doesn't tell which of several rates it refuses: the last one of as few of the first as it takes for that. */
    private InvalidSettingException translateRates(
            InvalidPolicyException refusal, String limit, List<NamedRateSetting> rates) {
        int last = 0;
        while (last < rates.size() - 1 && areAllowed(rates.subList(0, last + 1))) {
            last++;
        }
        String[] rule = refusal.rule() == null ? here("defaults", "rates") : ofGroup(refusal.rule(), "rates");
        String[] rate = with(rule, Integer.toString(last));
        String[] names = limit.split("\\.", 2);
        if (names.length == 1) {
            return settings.refusal("must be " + refusal.allowed(), refusal.allowed(), refusal, rule);
        }
        String part = dashed(names[1]);
        if (settings.has(with(rate, part))) {
            return settings.refusal("must be " + refusal.allowed(), refusal.allowed(), refusal, with(rate, part));
        }
        String allowed = "a " + part + " that is " + refusal.allowed();
        return settings.refusal("must have " + allowed, allowed, refusal, settings.has(rule) ? rule : rate);
    }

    private static boolean areAllowed(List<NamedRateSetting> rates) {
        try {
            GroupPolicy unused = GroupPolicy.builder()
                    .defaults(GroupLimits.unset()
                            .withRates(
                                    rates.stream().map(NamedRateSetting::toRate).toList()))
                    .build();
            return true;
        } catch (InvalidPolicyException refused) {
            return false;
        }
    }

    /** A rate is written in parts, or as one text. */
    private InvalidSettingException translateRate(InvalidPolicyException refusal, String[] rate, String part) {
        if (settings.has(rate)) {
            String allowed = "a " + part + " that is " + refusal.allowed();
            return settings.refusal("must have " + allowed, allowed, refusal, rate);
        }
        return settings.refusal("must be " + refusal.allowed(), refusal.allowed(), refusal, with(rate, part));
    }

    /** {@return the property of a number of the policy's} */
    private static String[] ofPolicy(String setting) {
        return dashed(setting)
                .replaceFirst("^global-", "global.")
                .replaceFirst("^warn-", "warnings.")
                .split("\\.");
    }

    private String[] ofGroup(String key, String limit) {
        return with(ofRule(key), limit);
    }

    private String[] ofRule(String key) {
        for (int i = 0; i < groupList.size(); i++) {
            if (key.equals(groupList.get(i).key())) {
                return here("group-list", Integer.toString(i));
            }
        }
        return here("groups", key);
    }

    private String[] here(String... elements) {
        String[] all = Arrays.copyOf(place, place.length + elements.length);
        System.arraycopy(elements, 0, all, place.length, elements.length);
        return all;
    }

    static String[] with(String[] elements, String last) {
        String[] all = Arrays.copyOf(elements, elements.length + 1);
        all[elements.length] = last;
        return all;
    }

    private static String dashed(String setting) {
        return setting.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
