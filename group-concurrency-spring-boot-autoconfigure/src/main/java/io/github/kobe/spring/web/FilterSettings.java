package io.github.kobe.spring.web;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Filter;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Hold;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.KeySource;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Normalize;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Rule;
import io.github.kobe.spring.web.Newcomers.Place;
import io.github.kobe.spring.web.RequestKey.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpMethod;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.UriTemplate;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** Reads the rules of the filter; errors are reported with property, value and origin. */
final class FilterSettings {

    private static final String DEFAULT_PREFIX = "http:";
    /** What the key of the group for untrusted keys ends with. */
    private static final String UNKNOWN = "_unknown";

    private static final String PATTERN = "a path pattern such as /api/**";
    private static final Set<String> METHODS = Arrays.stream(HttpMethod.values())
            .map(HttpMethod::name)
            .collect(Collectors.toCollection(LinkedHashSet::new));

    private final Filter filter;
    private final BoundSettings settings;
    private final ListableBeanFactory beans;
    private final ExecutorBeans executors;
    private final Class<?> beanType;
    private final boolean hasBean;

    /**
     * @param beans has the executors, and who knows keys
     * @param beanType the type of the bean that may tell keys
     * @param hasBean whether there is one
     */
    FilterSettings(
            Filter filter, BoundSettings settings, ListableBeanFactory beans, Class<?> beanType, boolean hasBean) {
        this.filter = filter;
        this.settings = settings;
        this.beans = beans;
        this.executors = new ExecutorBeans(beans);
        this.beanType = beanType;
        this.hasBean = hasBean;
    }

    List<FilterRule> rules() {
        if (filter.rules().isEmpty()) {
            if (!hasBean) {
                throw settings.refusal(
                        "is set, but nothing says which requests to limit, and by which key",
                        "true beside at least one rule under rules, or a bean of type " + beanType.getName(),
                        null,
                        "web",
                        "filter",
                        "enabled");
            }
            RequestKey ofBean = new RequestKey(
                    null,
                    "",
                    DEFAULT_PREFIX,
                    Normalize.TRIM,
                    false,
                    Verdict.PASSES,
                    new Newcomers(
                            DEFAULT_PREFIX + UNKNOWN,
                            () -> Newcomers.NOBODY_KNOWS,
                            false,
                            Integer.MAX_VALUE,
                            System::nanoTime));
            // for all paths
            return List.of(
                    new FilterRule(List.of(), Set.of(), ofBean, executors.lazily(""), null, "", Hold.UNTIL_COMPLETE));
        }
        List<FilterRule> rules = new ArrayList<>();
        for (int i = 0; i < filter.rules().size(); i++) {
            Reader reader = new Reader(i, filter.rules().get(i));
            if (i > 0 && rules.getLast().isForAll()) {
                throw reader.refusal(
                        "is of no use, since the rule before it is for all requests",
                        "this rule before that one; the first that is for a request counts",
                        "paths");
            }
            rules.add(reader.read());
        }
        return rules;
    }

    /** Reads one rule. */
    private final class Reader {

        private static final String REJECT = "reject";
        private static final String PASS = "pass";
        /** What earlier snapshots had beside the key of the group. */
        private static final String EARLIER_GROUP = "group";

        private final int index;
        private final Rule rule;

        Reader(int index, Rule rule) {
            this.index = index;
            this.rule = rule;
        }

        FilterRule read() {
            return new FilterRule(
                    paths(),
                    methods(),
                    rule.limit() ? key() : noKey(),
                    executor(),
                    queueTimeout(),
                    rule.deadlineHeader().strip(),
                    rule.hold());
        }

        private RequestKey key() {
            KeySource source = rule.keySource();
            if (source == null) {
                requireBean();
            } else {
                requireNameFor(source);
            }
            if (rule.matchesPrincipal() && source != KeySource.HEADER && source != KeySource.PATH) {
                throw refusal(
                        "is allowed only with the key-sources header and path",
                        "false, or true beside one of those",
                        "matches-principal");
            }
            String prefix = rule.prefix() == null ? DEFAULT_PREFIX : rule.prefix();
            return new RequestKey(
                    source,
                    rule.name(),
                    prefix,
                    rule.normalize(),
                    rule.matchesPrincipal(),
                    whenMissing(source),
                    newcomers(prefix));
        }

        /** {@return nothing, which a rule has that limits nothing; it must say nothing of limits and keys either} */
        private @Nullable RequestKey noKey() {
            refuseUnlessLimits(rule.keySource() != null, "key-source");
            refuseUnlessLimits(!rule.name().isBlank(), "name");
            refuseUnlessLimits(rule.prefix() != null, "prefix");
            refuseUnlessLimits(rule.normalize() != Normalize.TRIM, "normalize");
            refuseUnlessLimits(rule.matchesPrincipal(), "matches-principal");
            refuseUnlessLimits(rule.missingKey() != null, "missing-key");
            refuseUnlessLimits(rule.knownKeysOnly(), "known-keys-only");
            refuseUnlessLimits(rule.newcomers() == GroupConcurrencyProperties.Newcomers.SHARED, "newcomers");
            refuseUnlessLimits(rule.maxKeys() != null, "max-keys");
            refuseUnlessLimits(rule.queueTimeout() != null, "queue-timeout");
            refuseUnlessLimits(!rule.deadlineHeader().isBlank(), "deadline-header");
            refuseUnlessLimits(rule.hold() != Hold.UNTIL_COMPLETE, "hold");
            refuseUnlessLimits(!rule.executor().isBlank(), "executor");
            return null;
        }

        private void refuseUnlessLimits(boolean set, String name) {
            if (set) {
                throw refusal("is of no use with limit: false", "none beside limit: false", name);
            }
        }

        private Verdict whenMissing(@Nullable KeySource source) {
            String said =
                    rule.missingKey() != null ? rule.missingKey().strip() : source == KeySource.HEADER ? REJECT : PASS;
            return switch (said.toLowerCase(Locale.ROOT)) {
                case REJECT -> Verdict.refused(RejectionProblem.NO_KEY);
                case PASS -> Verdict.PASSES;
                // a slip in one of the words would be a group that nobody has heard of, with limits of its own
                case "", EARLIER_GROUP, "rejected", "rejects", "passed", "passes", "pass-through", "passthrough" ->
                    throw refusal(
                            "must say what happens to a request without a key",
                            "reject, pass, or the key of a group, such as http:anonymous",
                            "missing-key");
                default -> Verdict.limited(Place.in(said));
            };
        }

        private Newcomers newcomers(String prefix) {
            if (rule.maxKeys() != null && rule.maxKeys() < 1) {
                throw refusal("must be at least 1", "at least 1", "max-keys");
            }
            boolean shared = rule.newcomers() == GroupConcurrencyProperties.Newcomers.SHARED;
            if (shared && rule.maxKeys() != null) {
                throw refusal(
                        "is of no use with newcomers: shared, which gives no such key a group of its own",
                        "none beside newcomers: shared",
                        "max-keys");
            }
            if (rule.knownKeysOnly() && (shared || rule.maxKeys() != null)) {
                throw refusal(
                        "is of no use with known-keys-only, which gives no such key a group of its own",
                        "none beside known-keys-only",
                        shared ? "newcomers" : "max-keys");
            }
            int most = shared ? 0 : rule.maxKeys() != null ? rule.maxKeys() : Integer.MAX_VALUE;
            ObjectProvider<KnownGroupKeys> known = beans.getBeanProvider(KnownGroupKeys.class);
            return new Newcomers(
                    prefix + UNKNOWN,
                    SingletonSupplier.of(() -> known.getIfAvailable(() -> Newcomers.NOBODY_KNOWS)),
                    rule.knownKeysOnly(),
                    most,
                    System::nanoTime);
        }

        private Set<String> methods() {
            Set<String> methods = new LinkedHashSet<>();
            for (String method : rule.methods()) {
                String name = method.strip().toUpperCase(Locale.ROOT);
                if (!METHODS.contains(name)) {
                    throw refusal(
                            "has the method '" + method + "', which there isn't",
                            "one or more of " + String.join(", ", METHODS),
                            "methods");
                }
                methods.add(name);
            }
            if (methods.contains(HttpMethod.GET.name())) {
                methods.add(HttpMethod.HEAD.name()); // which the handlers of GET answer
            }
            return methods;
        }

        private @Nullable Duration queueTimeout() {
            Duration timeout = rule.queueTimeout();
            if (timeout != null && !timeout.isPositive()) {
                throw refusal("must be more than zero", "more than zero", "queue-timeout");
            }
            return timeout;
        }

        private Supplier<GroupExecutor> executor() {
            String name = rule.executor().isBlank() ? "" : rule.executor();
            if (!name.isEmpty() && !executors.has(name)) {
                throw refusal(
                        "names no GroupExecutor bean", "one of " + String.join(", ", executors.names()), "executor");
            }
            return executors.lazily(name);
        }

        private void requireBean() {
            if (!hasBean) {
                throw refusal(
                        "must say where the key is",
                        "header, principal or path; or none beside a bean of type " + beanType.getName(),
                        "key-source");
            }
            if (!rule.name().isBlank()) {
                throw refusal(
                        "is allowed only with the key-sources header and path", "a name beside one of those", "name");
            }
            if (rule.prefix() != null) {
                throw refusal(
                        "is allowed only with a key-source; keys of a bean are used as they are", "none", "prefix");
            }
            if (rule.normalize() != Normalize.TRIM) {
                throw refusal(
                        "is allowed only with a key-source; keys of a bean are used as they are", "none", "normalize");
            }
        }

        private void requireNameFor(KeySource source) {
            String name = rule.name();
            switch (source) {
                case HEADER -> {
                    if (name.isBlank()) {
                        throw refusal("must name the header", "a header such as X-Tenant-Id", "name");
                    }
                }
                case PATH -> {
                    for (String path : rule.paths()) {
                        parse(path);
                        if (!new UriTemplate(path).getVariableNames().contains(name)) {
                            throw refusal(
                                    "must name a variable that each path has, and " + path + " doesn't have it",
                                    "a name such as tenant beside paths such as /tenants/{tenant}/**",
                                    "name");
                        }
                    }
                }
                case PRINCIPAL -> {
                    if (!name.isBlank()) {
                        throw refusal(
                                "is allowed only with the key-sources header and path", "none for a principal", "name");
                    }
                }
            }
        }

        /** {@return the paths; none where all are meant} */
        private List<PathPattern> paths() {
            if (rule.paths().isEmpty()) {
                throw refusal("must have a path", PATTERN, "paths");
            }
            return rule.paths().contains("/**")
                    ? List.of()
                    : rule.paths().stream().map(this::parse).toList();
        }

        private PathPattern parse(String text) {
            if (!text.startsWith("/")) {
                throw refusal(
                        "has the path pattern '" + text + "', which no path has, since each begins with a slash",
                        PATTERN,
                        "paths");
            }
            try {
                return PathPatternParser.defaultInstance.parse(text);
            } catch (PatternParseException failure) {
                String problem =
                        "has the path pattern '" + text + "', which can't be read: " + failure.toDetailedString();
                String[] element = element("paths", String.valueOf(rule.paths().indexOf(text)));
                throw settings.has(element)
                        ? settings.refusal(problem, PATTERN, failure, element)
                        : settings.refusal(problem, PATTERN, failure, element("paths"));
            }
        }

        private InvalidSettingException refusal(String problem, String allowed, String name) {
            return settings.refusal(problem, allowed, null, element(name));
        }

        private String[] element(String... last) {
            return Stream.concat(Stream.of("web", "filter", "rules", String.valueOf(index)), Stream.of(last))
                    .toArray(String[]::new);
        }
    }
}
