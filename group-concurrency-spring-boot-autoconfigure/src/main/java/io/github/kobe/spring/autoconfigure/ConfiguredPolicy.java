package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.GroupRules;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
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
    private final GroupRules rules;
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
        this.rules = GroupRules.ofTheExecutor(properties, settings);
        require(properties.metrics().maxTagValues() >= 1, "at least 1", "metrics", "max-tag-values");
        Duration oldestWait = properties.health().oldestWait();
        require(oldestWait == null || !oldestWait.isNegative(), "zero or more", "health", "oldest-wait");
        Integer queue = properties.health().queue();
        require(queue == null || queue >= 0, "at least 0", "health", "queue");
        Duration clusterLoss = properties.health().clusterLoss();
        require(clusterLoss == null || !clusterLoss.isNegative(), "zero or more", "health", "cluster-loss");
        require(properties.warnings().interval().isPositive(), "more than zero", "warnings", "interval");
        require(
                !properties.shutdown().awaitTerminationPeriod().isNegative(),
                "zero or more",
                "shutdown",
                "await-termination-period");
        Duration longestPause = properties.client().honourRetryAfter();
        require(
                longestPause == null || (longestPause.isPositive() && longestPause.compareTo(LONGEST_PAUSE) <= 0),
                "more than zero, at most 31d",
                "client",
                "honour-retry-after");
    }

    private void require(boolean isAllowed, String allowed, String... setting) {
        if (!isAllowed) {
            throw settings.refusal("must be " + allowed, allowed, null, setting);
        }
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
        warnOfRulesWithoutFilter();
        warnOfSharesWithoutEffect();
        return rules.policy(this::builder);
    }

    private GroupPolicy.Builder builder() {
        GroupPolicy.Builder builder = GroupRules.commonPolicy(properties).rejectionPolicy(properties.rejectionPolicy());
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
        boolean common = rules.guaranteesToAll();
        if (!capped && (common || settings.has("global", "headroom") || rules.guaranteesToSome())) {
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

    private void warnOfRulesWithoutFilter() {
        if (!properties.web().filter().rules().isEmpty() && !settings.has("web", "filter", "enabled")) {
            LOGGER.warn("The rules under group-concurrency.web.filter.rules limit nothing, since"
                    + " group-concurrency.web.filter.enabled isn't set. Set it to true, or to false if that is meant.");
        }
    }
}
