package io.github.kobe.spring.web;

import io.github.kobe.spring.autoconfigure.BoundSettings;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties.Filter;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties.KeySource;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties.MissingKey;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties.Rule;
import io.github.kobe.spring.autoconfigure.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.web.util.UriTemplate;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** Reads the rules of the filter; errors are reported with property, value and origin. */
final class FilterSettings {

    private static final String DEFAULT_PREFIX = "http:";
    private static final String PATTERN = "a path pattern such as /api/**";

    private final Filter filter;
    private final BoundSettings settings;
    private final Class<?> beanType;
    private final boolean hasBean;

    /**
     * @param beanType the type of the bean that may tell keys
     * @param hasBean whether there is one
     */
    FilterSettings(Filter filter, BoundSettings settings, Class<?> beanType, boolean hasBean) {
        this.filter = filter;
        this.settings = settings;
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
            return List.of(
                    new FilterRule(List.of(), null, "", DEFAULT_PREFIX, MissingKey.PASS, "", false)); // for all paths
        }
        List<FilterRule> rules = new ArrayList<>();
        for (int i = 0; i < filter.rules().size(); i++) {
            rules.add(new Reader(i, filter.rules().get(i)).read());
        }
        return rules;
    }

    /** Reads one rule. */
    private final class Reader {

        private final int index;
        private final Rule rule;

        Reader(int index, Rule rule) {
            this.index = index;
            this.rule = rule;
        }

        FilterRule read() {
            KeySource source = rule.keySource();
            if (source == null) {
                requireBean();
            } else {
                requireNameFor(source);
            }
            MissingKey missing = rule.missingKey() != null
                    ? rule.missingKey()
                    : source == KeySource.HEADER ? MissingKey.REJECT : MissingKey.PASS;
            if (missing == MissingKey.GROUP && rule.missingKeyGroup().isBlank()) {
                throw refusal("needs the key of a group", "group, beside missing-key-group", "missing-key");
            }
            if (missing != MissingKey.GROUP && !rule.missingKeyGroup().isBlank()) {
                throw refusal(
                        "is allowed only with missing-key: group",
                        "a key beside missing-key: group",
                        "missing-key-group");
            }
            String prefix = rule.prefix() == null ? DEFAULT_PREFIX : rule.prefix();
            return new FilterRule(
                    paths(), source, rule.name(), prefix, missing, rule.missingKeyGroup(), rule.knownKeysOnly());
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
