package io.github.kobe.spring.autoconfigure.web;

import io.github.kobe.spring.properties.BoundSettings;
import io.github.kobe.spring.properties.GroupConcurrencyProperties;
import io.github.kobe.spring.web.RequestGroupKey;
import io.github.kobe.spring.web.RequestKeySource;
import java.util.ArrayList;
import java.util.List;
import org.springframework.web.util.UriTemplate;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** Reads the settings of the filter; what can't be is told as property, value and origin. */
final class FilterSettings {

    private static final String SOURCES = "exactly one of header, principal: true and path-pattern,"
            + " or a bean of type io.github.kobe.spring.web.RequestGroupKey";
    private static final String PATTERN = "a path pattern such as /api/**";
    private static final String PATTERN_OF_KEY =
            "a path pattern with exactly one variable, such as /tenants/{tenant}/**";

    private final GroupConcurrencyProperties.Filter filter;
    private final BoundSettings settings;

    FilterSettings(GroupConcurrencyProperties.Filter filter, BoundSettings settings) {
        this.filter = filter;
        this.settings = settings;
    }

    RequestGroupKey key() {
        List<String> sources = new ArrayList<>();
        if (!filter.header().isBlank()) {
            sources.add("header");
        }
        if (filter.principal()) {
            sources.add("principal");
        }
        if (!filter.pathPattern().isBlank()) {
            sources.add("path-pattern");
        }
        if (sources.isEmpty()) {
            throw settings.refusal("needs to know where the key is", SOURCES, null, "web", "filter", "enabled");
        }
        if (sources.size() > 1) {
            throw settings.refusal(
                    "can't stand beside " + sources.getFirst(), SOURCES, null, "web", "filter", sources.getLast());
        }
        if (!filter.pathPattern().isBlank()) {
            return RequestKeySource.path(filter.keyPrefix(), patternOfKey(filter.pathPattern()));
        }
        return !filter.header().isBlank()
                ? RequestKeySource.header(filter.keyPrefix(), filter.header())
                : RequestKeySource.principal(filter.keyPrefix());
    }

    private PathPattern patternOfKey(String text) {
        PathPattern pattern = parse(text, PATTERN_OF_KEY, "path-pattern");
        if (new UriTemplate(text).getVariableNames().size() != 1) {
            throw settings.refusal("must have one variable", PATTERN_OF_KEY, null, "web", "filter", "path-pattern");
        }
        return pattern;
    }

    /** {@return the paths; none where all are meant} */
    List<PathPattern> paths() {
        return filter.paths().stream().anyMatch("/**"::equals)
                ? List.of()
                : filter.paths().stream()
                        .map(path -> parse(path, PATTERN, "paths"))
                        .toList();
    }

    private PathPattern parse(String text, String allowed, String name) {
        try {
            return PathPatternParser.defaultInstance.parse(text);
        } catch (PatternParseException failure) {
            throw settings.refusal(
                    "has the path pattern '" + text + "', which can't be read: " + failure.toDetailedString(),
                    allowed,
                    failure,
                    "web",
                    "filter",
                    name);
        }
    }
}
