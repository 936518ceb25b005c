package io.github.kobe.spring.web;

import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.PrintableText;
import io.github.kobe.spring.web.Newcomers.Place;
import io.github.kobe.spring.web.RequestKey.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.http.server.RequestPath;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The rules of the filter in their order; the paths of the management endpoints, of the probes and of the live page are
 * left alone.
 */
final class FilterRules {

    private static final Log LOGGER = LogFactory.getLog(FilterRules.class);

    /** Of a segment; a container may decode a slash in it. */
    private static final Pattern DOTS = Pattern.compile("(^|[/\\\\])\\.\\.?($|[/\\\\])");

    private final List<FilterRule> rules;
    private final BoundSettings settings;
    private final SingletonSupplier<List<PathPattern>> operators;
    private final String mvcPath;

    /**
     * @param rules in their order
     * @param settings where they came from
     * @param environment says where the endpoints and the live page are
     * @param beans has the endpoints; asked at the first request, since filters are made before other beans
     */
    FilterRules(List<FilterRule> rules, BoundSettings settings, Environment environment, BeanFactory beans) {
        this.rules = List.copyOf(rules);
        this.settings = settings;
        this.operators = SingletonSupplier.of(() -> operators(environment, beans));
        this.mvcPath = environment.getProperty("spring.mvc.servlet.path", "").replaceAll("/+$", "");
    }

    /**
     * {@return the first rule that is for a request, unless its requests are not limited}
     *
     * @param path within the application
     */
    @Nullable
    FilterRule find(PathContainer path, String method) {
        for (PathPattern own : operators.obtain()) {
            if (own.matches(path) && !hasDots(path)) {
                return null;
            }
        }
        for (FilterRule rule : rules) {
            if (rule.isFor(path, method) && (rule.key() != null || !hasDots(path))) {
                return rule.key() == null ? null : rule;
            }
        }
        return null;
    }

    /** {@return what becomes of a request with a path} It doesn't pass without a key if another path may be meant. */
    static Verdict on(PathContainer path, Verdict verdict) {
        return verdict.equals(Verdict.PASSES) && hasDots(path) ? Verdict.refused(RejectionProblem.NO_KEY) : verdict;
    }

    /** {@return whether a path has segments such as {@code ..}} A container may resolve them for the servlet that it looks for. */
    private static boolean hasDots(PathContainer path) {
        return path.elements().stream()
                .anyMatch(element -> element instanceof PathSegment segment
                        && DOTS.matcher(segment.valueToMatch()).find());
    }

    /** {@return the path of a servlet's request that rules go by: within Spring MVC, if that has it, else within the application} */
    PathContainer pathOf(HttpServletRequest request) {
        String path = RequestPath.parse(request.getRequestURI(), request.getContextPath())
                .pathWithinApplication()
                .value();
        boolean within = path.equals(mvcPath) || path.startsWith(mvcPath + "/");
        return PathContainer.parsePath(within ? path.substring(mvcPath.length()) : path);
    }

    /** Has the beans made that the rules need; fails if one can't be had. */
    void makeReady() {
        for (int i = 0; i < rules.size(); i++) {
            FilterRule rule = rules.get(i);
            RequestKey key = rule.key();
            if (key != null) {
                GroupPolicy policy = rule.executor().get().policy();
                refuseLongGroups(key, String.valueOf(i), policy.maxKeyLength());
                warnOfOthersSpellings(key, policy);
                key.newcomers().makeReady();
                warnIfNoKeyIsKnown(key, policy);
            }
        }
    }

    private void refuseLongGroups(RequestKey key, String rule, int longest) {
        Place missing = key.whenMissing().place();
        if (missing != null) {
            refuseLongGroup(
                    missing.groupKey(),
                    longest,
                    "reject, pass, or the key of a group, of at most " + longest + " characters",
                    "web",
                    "filter",
                    "rules",
                    rule,
                    "missing-key");
        }
        String shared = key.newcomers().sharedGroup().orElse("");
        if (key.source() == null) { // which has no prefix
            refuseLongGroup(shared, longest, "a larger max-key-length", "web", "filter", "rules", rule);
        } else {
            String allowed = "a shorter prefix, or a larger max-key-length";
            refuseLongGroup(shared, longest, allowed, "web", "filter", "rules", rule, "prefix");
        }
    }

    /** Refuses a group that the executor would refuse at each request. */
    private void refuseLongGroup(String group, int longest, String allowed, String... property) {
        if (group.length() > longest) {
            throw settings.refusal(
                    "makes the group '" + PrintableText.ofKey(group) + "', which must be at most " + longest
                            + " characters long",
                    allowed,
                    null,
                    property);
        }
    }

    /** Warns of groups that the settings name in a spelling that no request's key has after it was normalized. */
    private void warnOfOthersSpellings(RequestKey key, GroupPolicy policy) {
        List<String> outOfReach = policy.groups().keySet().stream()
                .filter(named -> key.hasPrefixOf(named) && nobodyCanBe(named))
                .toList();
        if (!outOfReach.isEmpty()) {
            LOGGER.warn("No request has the key '" + PrintableText.ofKey(outOfReach.getFirst()) + "'"
                    + (outOfReach.size() == 1 ? "" : ", or one of " + (outOfReach.size() - 1) + " others,")
                    + " though the settings name it: the rules of the web filter spell all keys in another way, by"
                    + " their normalize. Name it in that spelling.");
        }
    }

    /** Warns of a rule by which no key has a group of its own. */
    private static void warnIfNoKeyIsKnown(RequestKey key, GroupPolicy policy) {
        key.newcomers()
                .onlyGroup()
                .filter(only ->
                        policy.groups().keySet().stream().noneMatch(named -> key.canBe(named) && !named.equals(only)))
                .ifPresent(only -> LOGGER.warn("All requests of a rule of the web filter share the group '"
                        + PrintableText.ofKey(only)
                        + "': the rule has known-keys-only, but no group is named exactly that"
                        + " one of its keys could be, and there is no bean of type " + KnownGroupKeys.class.getName()
                        + ". Patterns and a GroupLimitsResolver make no key known."));
    }

    private boolean nobodyCanBe(String named) {
        return rules.stream().map(FilterRule::key).noneMatch(key -> key != null && key.canBe(named));
    }

    /** {@return the paths that no rule is for, as far as they can be told from those of the application} */
    private static List<PathPattern> operators(Environment environment, BeanFactory beans) {
        if (!ClassUtils.isPresent(
                "org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints",
                FilterRules.class.getClassLoader())) {
            return List.of();
        }
        EndpointPaths endpoints = new EndpointPaths(beans);
        List<String> paths = new ArrayList<>(endpoints.additional());
        if (isOnPortOfApplication(environment)) {
            paths.addAll(endpoints.usual());
            if (environment.getProperty("group-concurrency.dashboard.enabled", Boolean.class, false)) {
                paths.add(environment.getProperty("group-concurrency.dashboard.path", "/group-concurrency"));
            }
        }
        return paths.stream()
                .map(path -> path.replaceAll("^/+|/+$", ""))
                .filter(path -> !path.isEmpty())
                .map(path -> PathPatternParser.defaultInstance.parse("/" + path + "/**"))
                .toList();
    }

    /** 0 is any free port, and so another one each time. */
    private static boolean isOnPortOfApplication(Environment environment) {
        String port = environment.getProperty("management.server.port", "");
        return port.isEmpty() || (!port.equals("0") && port.equals(environment.getProperty("server.port", "8080")));
    }
}
