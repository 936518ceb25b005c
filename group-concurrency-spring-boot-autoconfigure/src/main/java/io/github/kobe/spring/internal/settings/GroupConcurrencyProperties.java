package io.github.kobe.spring.internal.settings;

import io.github.kobe.GroupLimits;
import io.github.kobe.Rate;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.cluster.OnStoreLoss;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings under {@code group-concurrency}, as they are written; {@code null} where nothing is written. Their
 * ranges are checked where they come into force, so that each message can name the file and line.
 *
 * @param enabled Whether methods and executors are limited at all; without it there is no bean of this library,
 *     and annotated methods run without limit.
 * @param global What holds for all groups together.
 * @param rejectionPolicy What happens to a submitted task that is rejected; callers on their own thread and
 *     annotated methods always get an exception.
 * @param defaults The limits of groups that have none of their own.
 * @param groups Limits by group key or, with a * in it, by pattern; always written in brackets and quotes, as
 *     "[tenant:*]".
 * @param groupList Limits by group key or pattern as a list, which takes every key exactly as it is in every source.
 * @param limitsRefresh About how often a GroupLimitsResolver is asked again of a group in use, more than zero; by default
 *     it never is.
 * @param maxIdleGroups About how many idle groups keep their counters, at least 0.
 * @param idleTimeout For about how long an idle group keeps its counters, more than zero.
 * @param maxKeyLength How many characters a group's key may have, at least 1.
 * @param cluster Limits over many instances.
 * @param redis The Redis by which instances share limits.
 * @param annotation The annotation {@code @GroupConcurrent}.
 * @param contextPropagation The context that is propagated to a task's thread.
 * @param metrics The meters.
 * @param observations The observations.
 * @param warnings What the log is told now and then.
 * @param health The health of the application.
 * @param shutdown The end of the application.
 * @param client Calls of other services over HTTP.
 * @param web Requests over HTTP.
 * @param datasource Connections of data sources.
 */
@ConfigurationProperties(prefix = GroupConcurrencyProperties.PREFIX, ignoreUnknownFields = false)
public record GroupConcurrencyProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue Global global,
        @DefaultValue("abort") RejectionPolicy rejectionPolicy,
        @DefaultValue Limits defaults,
        @DefaultValue Map<String, Limits> groups,
        @DefaultValue List<ListedGroup> groupList,
        @Nullable Duration limitsRefresh,
        @DefaultValue("10000") int maxIdleGroups,
        @DefaultValue("10m") Duration idleTimeout,
        @DefaultValue("1024") int maxKeyLength,
        @DefaultValue Cluster cluster,
        @DefaultValue Redis redis,
        @DefaultValue Annotation annotation,
        @DefaultValue ContextPropagation contextPropagation,
        @DefaultValue Metrics metrics,
        @DefaultValue Observations observations,
        @DefaultValue Warnings warnings,
        @DefaultValue Health health,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Client client,
        @DefaultValue Web web,
        @DefaultValue Datasource datasource) {

    /** What all the settings' names begin with. */
    public static final String PREFIX = "group-concurrency";

    /**
     * What holds for all groups together.
     *
     * @param maxInFlight How many tasks may be in flight over all groups, at least 1, or "unlimited".
     * @param queueThreshold How many tasks may wait over all groups, at least 0, or "unlimited".
     * @param headroom How many of the last free permits of global.max-in-flight are only for groups that hold less than their
     *     guarantee and one weight: a number below it, or a share of it as 10%.
     * @param rate How much of all groups together starts in any window of time, as "60 per 1m" or "60 per 1m burst 6", or
     *     "unlimited".
     */
    public record Global(
            @Nullable Integer maxInFlight,
            @Nullable Integer queueThreshold,
            @DefaultValue("0") String headroom,
            @Nullable RateSetting rate) {}

    /**
     * The limits of one group, of a pattern or of all groups. Each number that is missing is inherited separately.
     *
     * @param maxConcurrency How many tasks of a group may run at once, at least 1, or "unlimited".
     * @param maxInFlight How many tasks of a group may be in flight, at least 1, or "unlimited"; if not set, as many
     *     as may run.
     * @param queueThreshold How many tasks of a group may wait, at least 0, or "unlimited"; 0: none waits.
     * @param queueTimeout How long a task of a group may wait to start, more than zero, or "unlimited".
     * @param weight How much a group may hold of the global limit, compared with others, while that is short; 1 to 1,000.
     * @param guaranteed How many tasks of a group are to be in flight before others get more; 0 to 1,000,000.
     * @param clusterMaxInFlight How many tasks of a group may be in flight over all instances, at least 1, or "unlimited".
     * @param rate How much of a group starts in any window of time, as "60 per 1m" or "60 per 1m burst 6", or "unlimited".
     * @param rates Several rates, each with another name: work says what it costs of each. Either these or the one.
     */
    public record Limits(
            @Nullable Integer maxConcurrency,
            @Nullable Integer maxInFlight,
            @Nullable Integer queueThreshold,
            @Nullable Duration queueTimeout,
            @Nullable Integer weight,
            @Nullable Integer guaranteed,
            @Nullable Integer clusterMaxInFlight,
            @Nullable RateSetting rate,
            @Nullable List<NamedRateSetting> rates) {

        static final Limits INHERITED = new Limits(null, null, null, null, null, null, null, null, null);

        /** {@return the same numbers as the engine takes them} */
        public GroupLimits toGroupLimits() {
            GroupLimits limits = GroupLimits.unset();
            limits = maxConcurrency == null ? limits : limits.withMaxConcurrency(maxConcurrency);
            limits = maxInFlight == null ? limits : limits.withMaxInFlight(maxInFlight);
            limits = queueThreshold == null ? limits : limits.withQueueThreshold(queueThreshold);
            limits = queueTimeout == null ? limits : limits.withQueueTimeout(queueTimeout);
            limits = weight == null ? limits : limits.withWeight(weight);
            limits = guaranteed == null ? limits : limits.withGuaranteed(guaranteed);
            limits = clusterMaxInFlight == null ? limits : limits.withClusterMaxInFlight(clusterMaxInFlight);
            limits = rate == null ? limits : limits.withRate(rate.toRate());
            return rates == null
                    ? limits
                    : limits.withRates(
                            rates.stream().map(NamedRateSetting::toRate).toList());
        }
    }

    /**
     * A rate, in parts or as one text. With nothing set it is no rate at all, which no parts are bound to.
     *
     * @param limit How many start at most in any window, 1 to 1,000,000,000.
     * @param per How long a window is, 1ms to 31d.
     * @param burst How many start at once, 1 to the limit; if not set, a tenth of the limit, but at least 2.
     */
    public record RateSetting(
            @Nullable Integer limit,
            @Nullable Duration per,
            @Nullable Integer burst) {

        /**
         * Reads one text.
         *
         * @param text {@code 60 per 1m}, {@code 60 per 1m burst 6}, or {@code unlimited}
         * @return what it says; {@code null}: it is empty
         * @throws IllegalArgumentException if it says nothing of that
         */
        public static @Nullable RateSetting valueOf(String text) {
            NamedRateSetting read = NamedRateSetting.valueOf(text);
            if (read == null) {
                return null;
            }
            if (read.name() != null || read.defaultCost() != null || read.refund() != null) {
                throw new IllegalArgumentException("only one of several rates has such a part");
            }
            return new RateSetting(read.limit(), read.per(), read.burst());
        }

        /** {@return the rate as the engine takes it} */
        public Rate toRate() {
            if (limit == null || per == null) {
                return Rate.UNLIMITED;
            }
            // The largest number of all would be no limit. Here it is refused as any other that is too large.
            Rate rate = Rate.of(Math.min(limit, Integer.MAX_VALUE - 1), per);
            return burst == null ? rate : rate.withBurst(burst);
        }
    }

    /**
     * Limits over many instances.
     *
     * @param namespace What the instances that share limits have in common: not blank, at most 255 characters, without curly
     *     brackets. Default: spring.application.name.
     * @param nodeName As whom this instance is shown, at most 255 characters. Default: HOSTNAME, or else the name of the host and
     *     the id of the process.
     * @param lease For how long what is leased counts if nothing more is heard; 5s to 60s, the same in all instances.
     * @param onStoreLoss What starts in groups with a limit over all instances while their store has been away for longer than
     *     a lease; has to be set where there is such a limit.
     * @param idleReturn How long what is leased and not in use is kept if no other instance wants it; more than zero, at most 1h.
     */
    public record Cluster(
            @Nullable String namespace,
            @Nullable String nodeName,
            @DefaultValue("15s") Duration lease,
            @Nullable OnStoreLoss onStoreLoss,
            @DefaultValue("5s") Duration idleReturn) {}

    /**
     * The Redis by which instances share limits.
     *
     * @param uri Where it is, as redis://host:6379, rediss:// or redis-sentinel://. Default: that of spring.data.redis.
     * @param keyPrefix What the name of its key begins with; at most 255 characters, without curly brackets.
     */
    public record Redis(
            @Nullable String uri, @DefaultValue("gc:") String keyPrefix) {

        /** {@return the settings without the address, which may have a password in it} */
        @Override
        public String toString() {
            return "Redis[keyPrefix=" + keyPrefix + "]";
        }
    }

    /**
     * The annotation {@code @GroupConcurrent}.
     *
     * @param enabled Whether annotated methods are limited.
     * @param order The order of the limit among a method's other advice; the smaller, the further out.
     * @param beanReferences Whether group expressions may name beans, as in "@tenants.current()".
     */
    public record Annotation(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("2147483646") int order,
            @DefaultValue("false") boolean beanReferences) {}

    /**
     * The context that is propagated to a task's thread.
     *
     *
     * @param enabled Whether the logging context (MDC) of the submitting thread, what is registered with Micrometer's
     *     context propagation, and what TaskDecorator beans add are available on the task's thread.
     */
    public record ContextPropagation(@DefaultValue("true") boolean enabled) {}

    /**
     * The meters.
     *
     * @param enabled Whether there are meters.
     * @param groupTag What the tag "group" of a meter contains.
     * @param maxTagValues How many keys and patterns, names of scopes, and plans of rollouts get a tag value of their own, at
     *     least 1.
     * @param timers Which timers there are.
     */
    public record Metrics(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("configured") GroupTag groupTag,
            @DefaultValue("100") int maxTagValues,
            @DefaultValue("all") Timers timers) {

        /** The tag value of what has no place of its own. */
        public static final String OTHER = "_other";
    }

    /**
     * The observations.
     *
     * @param mode Which work in groups is observed.
     * @param groupKey Whether an observation, and so a span, has the group's key.
     */
    public record Observations(
            @DefaultValue("tracing") ObservationMode mode,
            @DefaultValue("true") boolean groupKey) {}

    /** Which work in groups is observed. */
    public enum ObservationMode {
        /** Work that is submitted inside an observation, if a tracer makes spans. */
        TRACING,
        /** All work, whether or not anything listens. */
        ALWAYS,
        /** None. */
        NEVER
    }

    /** What the tag "group" of a meter contains. */
    public enum GroupTag {
        /** The key or pattern of the settings that the group falls under. */
        CONFIGURED,
        /** The group's key, for as many as {@code max-tag-values} of them. */
        ALL,
        /** Nothing. */
        NONE
    }

    /** Which timers there are. */
    public enum Timers {
        /** Timers of waits and of runs. */
        ALL,
        /** Timers of waits. */
        WAITED,
        /** None, so the clock isn't read for timers. */
        NONE
    }

    /**
     * What the log is told now and then.
     *
     * @param enabled Whether the log is told of groups that have refused work, and of groups that stand still.
     * @param interval About how often, more than zero.
     */
    public record Warnings(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("1m") Duration interval) {}

    /**
     * The health of the application.
     *
     * @param oldestWait How long a task may wait, zero or more; beyond that the application is out of service. By
     *     default it never is.
     * @param queue How many may wait over all groups of an executor, at least 0; beyond that the application is
     *     out of service. By default it never is.
     * @param clusterLoss How long the store of limits over all instances may be lost, zero or more; beyond that the application
     *     is out of service. By default it never is.
     */
    public record Health(
            @Nullable Duration oldestWait,
            @Nullable Integer queue,
            @Nullable Duration clusterLoss) {}

    /**
     * The end of the application.
     *
     * @param awaitTerminationPeriod How long to wait for work that is queued or runs, zero or more; should be shorter
     *     than spring.lifecycle.timeout-per-shutdown-phase.
     */
    public record Shutdown(@DefaultValue("25s") Duration awaitTerminationPeriod) {}

    /**
     * Calls of other services over HTTP.
     *
     * @param honourRetryAfter How long an answer of 429 or 503 may have the group of its call paused by Retry-After, more than
     *     zero, at most 31d; if not set, none has.
     */
    public record Client(@Nullable Duration honourRetryAfter) {}

    /**
     * Requests over HTTP.
     *
     * @param problemDetails How a rejection is reported to a client.
     * @param filter The filter that limits requests.
     */
    public record Web(
            @DefaultValue ProblemDetails problemDetails,
            @DefaultValue Filter filter) {}

    /**
     * How a rejection is reported to a client.
     *
     * @param enabled Whether a rejection that nothing else handles is answered with 429 or 503 and
     *     application/problem+json.
     */
    public record ProblemDetails(@DefaultValue("true") boolean enabled) {}

    /**
     * The filter that limits requests by a key.
     *
     * @param enabled Whether requests are limited, by the rules or by a bean of type RequestGroupKey or ExchangeGroupKey.
     * @param rules Which requests are limited by which key; the first rule that matches a request's path and method is used.
     * @param order The order among the filters of the application; the smaller, the further out.
     */
    public record Filter(
            @DefaultValue("false") boolean enabled,
            @DefaultValue List<Rule> rules,
            @DefaultValue("2147483647") int order) {}

    /**
     * Connections of data sources, in fair shares.
     *
     * @param enabled Whether connections are limited by group. Default: whether there is a bean of type ConnectionGroup, without
     *     which true fails the start.
     * @param maxConnections How many connections of a data source all groups have at once: a number, or "pool", which is as many
     *     as its pool has at most, but for the nested-reserve, also when that changes.
     * @param nestedReserve How many connections of the pool are left for threads that have one of it already, at least 0.
     * @param defaults The limits of groups that have none of their own; without a max-concurrency, as many as all may have.
     * @param groups Limits by group key or, with a * in it, by pattern; always written in brackets and quotes, as
     *     "[gold-*]".
     * @param groupList Limits by group key or pattern as a list, which takes every key exactly as it is in every source.
     */
    public record Datasource(
            @Nullable Boolean enabled,
            @DefaultValue(POOL) String maxConnections,
            @DefaultValue("1") int nestedReserve,
            @DefaultValue Limits defaults,
            @DefaultValue Map<String, Limits> groups,
            @DefaultValue List<ListedGroup> groupList) {

        /** As many connections as the pool has. */
        public static final String POOL = "pool";
    }

    /**
     * One rule of the filter.
     *
     * @param paths The path patterns of the requests that it is for.
     * @param methods The methods of the requests that it is for, as GET; if missing, all.
     * @param limit Whether its requests are limited; with false they pass, and no later rule is asked.
     * @param keySource Where the key is; if missing, a bean of type RequestGroupKey or ExchangeGroupKey supplies it.
     * @param name The name of the header, or of the variable of the path.
     * @param prefix What the group's key begins with, before the request's part; it keeps clients from naming other
     *     groups. Default: http:
     * @param normalize Which spellings are the same key.
     * @param matchesPrincipal Whether the key has to be the name of the logged-in user; otherwise the request is answered
     *     with 403.
     * @param missingKey What happens to a request without a key: reject, pass, or the key of a group, in which it is
     *     limited. Default: reject for a header, otherwise pass.
     * @param knownKeysOnly Whether only keys that the settings name exactly, or a bean of type KnownGroupKeys knows, have
     *     groups of their own; all others then share one.
     * @param newcomers Whether a key that is not known has a group of its own from the beginning.
     * @param maxKeys How many keys that are neither known nor have succeeded may have groups of their own, at least 1; the
     *     others then share one. By default any number.
     * @param queueTimeout How long its requests may wait, more than zero; if missing, as long as their group allows.
     * @param deadlineHeader The name of the header that says how long its client waits for the answer, or until when; a
     *     request that has not begun by then is refused. Its value is a number of milliseconds, or one with a unit as in
     *     grpc-timeout, or an instant as 2030-01-31T12:00:00Z.
     * @param hold How long a request has its permit.
     * @param executor The name of the GroupExecutor bean that limits its requests; if missing, the default one.
     */
    public record Rule(
            @DefaultValue("/**") List<String> paths,
            @DefaultValue List<String> methods,
            @DefaultValue("true") boolean limit,
            @Nullable KeySource keySource,
            @DefaultValue("") String name,
            @Nullable String prefix,
            @DefaultValue("trim") Normalize normalize,
            @DefaultValue("false") boolean matchesPrincipal,
            @Nullable String missingKey,
            @DefaultValue("false") boolean knownKeysOnly,
            @DefaultValue("separate") Newcomers newcomers,
            @Nullable Integer maxKeys,
            @Nullable Duration queueTimeout,
            @DefaultValue("") String deadlineHeader,
            @DefaultValue("until-complete") Hold hold,
            @DefaultValue("") String executor) {}

    /** How long a request has its permit. */
    public enum Hold {
        /** Until it is complete. */
        UNTIL_COMPLETE,
        /** Until its answer begins. */
        UNTIL_FIRST_BYTE
    }

    /** Where the key of a request is. */
    public enum KeySource {
        /** In a header. */
        HEADER,
        /** The name of the logged-in user is the key. */
        PRINCIPAL,
        /** In the path. */
        PATH
    }

    /** Which spellings of a request's key are the same. */
    public enum Normalize {
        /** Those that differ in spaces before or after the key. */
        TRIM,
        /** Those that differ in such spaces, or in upper and lower case. */
        LOWER_CASE,
        /** None. */
        NONE
    }

    /** Whether a key that is not known has a group of its own from the beginning. */
    public enum Newcomers {
        /** It has. */
        SEPARATE,
        /** It shares one with all such keys, until a request with it has been answered with a status below 400. */
        SHARED
    }
}
