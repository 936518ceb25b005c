package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.ListedGroup;
import io.github.kobe.spring.internal.settings.LimitSetting;
import io.github.kobe.spring.internal.settings.NamedRateSetting;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the policy that the settings describe. The engine checks the numbers; its complaints are reported as the
 * property, its value and where it is written.
 */
final class ConfiguredPolicy {

    private static final Pattern HEADROOM = Pattern.compile("(\\d{1,10})(%?)");

    private static final Log LOGGER = LogFactory.getLog(ConfiguredPolicy.class);

    /** As the longest window of a rate. */
    private static final Duration LONGEST_PAUSE = Duration.ofDays(31);

    private final GroupConcurrencyProperties properties;
    private final BoundSettings settings;
    private final SingletonSupplier<GroupPolicy> policy = SingletonSupplier.of(this::newPolicy);

    /**
     * Takes the settings.
     *
     * @param properties their values
     * @param settings where they came from
     * @throws InvalidSettingException if a setting that isn't the policy's is out of its range
     */
    ConfiguredPolicy(GroupConcurrencyProperties properties, BoundSettings settings) {
        this.properties = properties;
        this.settings = settings;
        if (properties.metrics().maxTagValues() < 1) {
            throw settings.refusal("must be at least 1", "at least 1", null, "metrics", "max-tag-values");
        }
        Duration oldestWait = properties.health().oldestWait();
        if (oldestWait != null && oldestWait.isNegative()) {
            throw settings.refusal("must be zero or more", "zero or more", null, "health", "oldest-wait");
        }
        Integer queue = properties.health().queue();
        if (queue != null && queue < 0) {
            throw settings.refusal("must be at least 0", "at least 0", null, "health", "queue");
        }
        Duration clusterLoss = properties.health().clusterLoss();
        if (clusterLoss != null && clusterLoss.isNegative()) {
            throw settings.refusal("must be zero or more", "zero or more", null, "health", "cluster-loss");
        }
        if (!properties.warnings().interval().isPositive()) {
            throw settings.refusal("must be more than zero", "more than zero", null, "warnings", "interval");
        }
        if (properties.shutdown().awaitTerminationPeriod().isNegative()) {
            throw settings.refusal(
                    "must be zero or more", "zero or more", null, "shutdown", "await-termination-period");
        }
        Duration longestPause = properties.client().honourRetryAfter();
        if (longestPause != null && (!longestPause.isPositive() || longestPause.compareTo(LONGEST_PAUSE) > 0)) {
            String allowed = "more than zero, at most 31d";
            throw settings.refusal("must be " + allowed, allowed, null, "client", "honour-retry-after");
        }
    }

    /**
     * Reads the settings anew.
     *
     * @param environment where they are
     * @return what they say
     * @throws InvalidSettingException if they can't be read, or one that isn't the policy's is out of its range
     */
    static ConfiguredPolicy read(ConfigurableEnvironment environment) {
        BoundSettings settings = new BoundSettings(environment);
        return new ConfiguredPolicy(FreshSettings.bind(environment, settings), settings);
    }

    /**
     * {@return a policy with all that the settings say}
     *
     * @throws InvalidSettingException if a setting is out of its range
     */
    GroupPolicy toPolicy() {
        return policy.obtain();
    }

    /** {@return the properties that the policy is made of, as far as they are set} */
    List<ConfigurationProperty> set() {
        return settings.under(Set.of(
                "global",
                "rejectionpolicy",
                "defaults",
                "groups",
                "grouplist",
                "limitsrefresh",
                "warnings",
                "maxidlegroups",
                "idletimeout",
                "maxkeylength"));
    }

    private GroupPolicy newPolicy() {
        checkList();
        warnOfEnvironmentOnlyGroups();
        warnOfRulesWithoutFilter();
        warnOfSharesWithoutEffect();
        try {
            return builder().build();
        } catch (InvalidPolicyException refusal) {
            throw translate(refusal);
        }
    }

    private GroupPolicy.Builder builder() {
        GroupPolicy.Builder builder = GroupPolicy.builder()
                .defaults(properties.defaults().toGroupLimits())
                .rejectionPolicy(properties.rejectionPolicy())
                .maxIdleGroups(properties.maxIdleGroups())
                .idleTimeout(properties.idleTimeout())
                .maxKeyLength(properties.maxKeyLength());
        Integer maxInFlight = properties.global().maxInFlight();
        if (maxInFlight != null) {
            builder.globalMaxInFlight(maxInFlight);
        }
        if (maxInFlight == null || maxInFlight >= 1) {
            builder.globalHeadroom(headroomOf(maxInFlight == null ? Integer.MAX_VALUE : maxInFlight));
        }
        Integer queueThreshold = properties.global().queueThreshold();
        if (queueThreshold != null) {
            builder.globalQueueThreshold(queueThreshold);
        }
        if (properties.global().rate() != null) {
            builder.globalRate(properties.global().rate().toRate());
        }
        if (properties.limitsRefresh() != null) {
            builder.limitsRefresh(properties.limitsRefresh());
        }
        if (properties.warnings().enabled()) {
            builder.warnInterval(properties.warnings().interval());
        }
        properties.groups().forEach((key, limits) -> add(builder, key, limits));
        properties.groupList().forEach(group -> add(builder, String.valueOf(group.key()), group.limits()));
        return builder;
    }

    /** {@return the headroom beside a global limit: as it is written, or that share, rounded down; none without a limit} */
    private int headroomOf(int maxInFlight) {
        Matcher text = HEADROOM.matcher(properties.global().headroom().strip());
        long number = text.matches() ? Long.parseLong(text.group(1)) : -1;
        boolean isShare = number >= 0 && !text.group(2).isEmpty();
        if (number < 0 || number >= (isShare ? 100 : maxInFlight)) {
            throw settings.refusal(
                    "must be a number of permits that is less than global.max-in-flight, or a share of that",
                    "0 to " + (maxInFlight - 1L) + ", or 0% to 99%",
                    null,
                    "global",
                    "headroom");
        }
        return maxInFlight == Integer.MAX_VALUE ? 0 : (int) (isShare ? number * maxInFlight / 100 : number);
    }

    /** Warns of shares that nothing is shared by, and of a guarantee that nobody can be given. */
    private void warnOfSharesWithoutEffect() {
        Integer maxInFlight = properties.global().maxInFlight();
        boolean capped = maxInFlight != null && maxInFlight != Integer.MAX_VALUE;
        boolean common = guarantees(properties.defaults());
        if (!capped && (common || settings.has("global", "headroom") || someGroupHasAGuarantee())) {
            LOGGER.warn("guaranteed and global.headroom have no effect without " + GroupConcurrencyProperties.PREFIX
                    + ".global.max-in-flight, which they are shares of.");
        } else if (common) {
            LOGGER.warn(GroupConcurrencyProperties.PREFIX + ".defaults.guaranteed guarantees the same to all groups:"
                    + " as soon as more of them want it than there are permits,"
                    + " those above it get nothing, and weights have no meaning."
                    + " Who holds little comes first anyway; guarantee something"
                    + " to some by a pattern.");
        }
    }

    private boolean someGroupHasAGuarantee() {
        return Stream.concat(
                        properties.groups().values().stream(),
                        properties.groupList().stream().map(ListedGroup::limits))
                .anyMatch(ConfiguredPolicy::guarantees);
    }

    private static boolean guarantees(GroupConcurrencyProperties.Limits limits) {
        return limits.guaranteed() != null && limits.guaranteed() > 0;
    }

    private static void add(GroupPolicy.Builder builder, String key, GroupConcurrencyProperties.Limits limits) {
        if (key.indexOf('*') >= 0) {
            builder.pattern(key, limits.toGroupLimits());
        } else {
            builder.group(key, limits.toGroupLimits());
        }
    }

    private void checkList() {
        Set<String> keys = new TreeSet<>(properties.groups().keySet());
        for (int i = 0; i < properties.groupList().size(); i++) {
            ListedGroup group = properties.groupList().get(i);
            String[] setting = {"group-list", Integer.toString(i), "key"};
            if (group.key() == null || group.key().isBlank()) {
                throw settings.refusal("must name a group", "a group key or pattern", null, setting);
            }
            if (!keys.add(group.key())) {
                throw settings.refusal(
                        "names a group for the second time", "each key once, here or under groups", null, setting);
            }
        }
    }

    private void warnOfRulesWithoutFilter() {
        if (!properties.web().filter().rules().isEmpty() && !settings.has("web", "filter", "enabled")) {
            LOGGER.warn("The rules under group-concurrency.web.filter.rules limit nothing, since"
                    + " group-concurrency.web.filter.enabled isn't set. Set it to true, or to false if that is meant.");
        }
    }

    /** Environment variables can't spell every key: the group that is meant may be another one. */
    private void warnOfEnvironmentOnlyGroups() {
        Map<String, List<ConfigurationProperty>> ofGroups = settings.ofGroups();
        for (String key : properties.groups().keySet()) {
            List<ConfigurationProperty> ofGroup = ofGroups.getOrDefault(key, List.of());
            if (!ofGroup.isEmpty() && ofGroup.stream().allMatch(ConfiguredPolicy::isFromEnvironment)) {
                LOGGER.warn("Only environment variables name the group '" + PrintableText.ofKey(key)
                        + "' ("
                        + PrintableText.inOneLine(
                                String.valueOf(ofGroup.getFirst().getOrigin()))
                        + "); they can't express upper case, '_' and most other characters of a key. Name the group in"
                        + " a file too, or use " + GroupConcurrencyProperties.PREFIX + ".group-list.");
            }
        }
    }

    private static boolean isFromEnvironment(ConfigurationProperty property) {
        return property.getSource() != null
                && property.getSource().getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    private InvalidSettingException translate(InvalidPolicyException refusal) {
        if (refusal.setting().startsWith(LimitSetting.RATE.property())) {
            List<NamedRateSetting> rates = ratesOf(refusal.rule());
            if (rates != null) {
                return translateRates(refusal, rates);
            }
        }
        String[] names = refusal.setting().split("\\.", 2); // only a rate has parts
        String[] setting = refusal.rule() == null ? ofPolicy(names[0]) : ofGroup(refusal.rule(), dashed(names[0]));
        if (names.length > 1) {
            return translateRate(refusal, setting, names[1]);
        }
        String allowed = refusal.setting().equals(LimitSetting.QUEUE_TIMEOUT.field())
                ? refusal.allowed() + "; if nothing may wait, set queue-threshold to 0"
                : refusal.allowed();
        return settings.refusal("must be " + refusal.allowed(), allowed, refusal, setting);
    }

    /** {@return the list of rates of a rule; {@code null}: it has none} */
    private @Nullable List<NamedRateSetting> ratesOf(@Nullable String rule) {
        if (rule == null) {
            return properties.defaults().rates();
        }
        GroupConcurrencyProperties.Limits limits = properties.groups().get(rule);
        return limits != null
                ? limits.rates()
                : properties.groupList().stream()
                        .filter(group -> rule.equals(group.key()))
                        .findFirst()
                        .map(ListedGroup::rates)
                        .orElse(null);
    }

    /** The engine doesn't tell which of several rates it refuses: the last one of as few of the first as it takes for that. */
    private InvalidSettingException translateRates(InvalidPolicyException refusal, List<NamedRateSetting> rates) {
        int last = 0;
        while (last < rates.size() - 1 && areAllowed(rates.subList(0, last + 1))) {
            last++;
        }
        String[] rule = refusal.rule() == null ? new String[] {"defaults", "rates"} : ofGroup(refusal.rule(), "rates");
        String[] rate = Arrays.copyOf(rule, rule.length + 1);
        rate[rule.length] = Integer.toString(last);
        String[] names = refusal.setting().split("\\.", 2);
        if (names.length == 1) {
            return settings.refusal("must be " + refusal.allowed(), refusal.allowed(), refusal, rule);
        }
        String[] part = Arrays.copyOf(rate, rate.length + 1);
        part[rate.length] = dashed(names[1]);
        if (settings.has(part)) {
            return settings.refusal("must be " + refusal.allowed(), refusal.allowed(), refusal, part);
        }
        String allowed = "a " + part[rate.length] + " that is " + refusal.allowed();
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
        String[] setting = Arrays.copyOf(rate, rate.length + 1);
        setting[rate.length] = part;
        return settings.refusal("must be " + refusal.allowed(), refusal.allowed(), refusal, setting);
    }

    /** {@return the property of a number of the policy's} */
    private static String[] ofPolicy(String setting) {
        return LimitSetting.ofDefaults(setting)
                .map(limit -> new String[] {"defaults", limit.property()})
                .orElseGet(() -> dashed(setting)
                        .replaceFirst("^global-", "global.")
                        .replaceFirst("^warn-", "warnings.")
                        .split("\\."));
    }

    private String[] ofGroup(String key, String limit) {
        for (int i = 0; i < properties.groupList().size(); i++) {
            if (key.equals(properties.groupList().get(i).key())) {
                return new String[] {"group-list", Integer.toString(i), limit};
            }
        }
        return new String[] {"groups", key, limit};
    }

    private static String dashed(String setting) {
        return setting.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
