package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.actuate.GroupExecutorEndpoint;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefresher;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.MDC;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The engine as an application has it from the starter. */
final class OursInSpring extends Ours {

    private static final String MDC_KEY = "tenant";
    private static final String METERS = "group-concurrency.metrics.enabled";
    private static final String CONTEXT = "group-concurrency.context-propagation.enabled";
    private static final int PATTERNS = 50;

    /** An application with nothing of its own but a bean. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        AdvisedBean advisedBean() {
            return new AdvisedBean();
        }
    }

    private final ConfigurableApplicationContext application;
    private final GroupExecutorEndpoint endpoint;

    private OursInSpring(ConfigurableApplicationContext application) {
        super(application.getBean(GroupExecutor.class));
        this.application = application;
        GroupExecutor executor = application.getBean(GroupExecutor.class);
        endpoint = new GroupExecutorEndpoint(
                () -> Map.of("groupExecutor", executor), "groupExecutor", "benchmark", application);
    }

    static OursInSpring bare(Limits limits) {
        return started(limits, Map.of(METERS, false, CONTEXT, false));
    }

    /** Any number of groups stays, and each has meters of its own, as far as the default bound goes. */
    static OursInSpring withMeters(Limits limits) {
        return started(
                limits,
                Map.of(
                        "group-concurrency.max-idle-groups",
                        1_000_000,
                        "group-concurrency.metrics.group-tag",
                        "all",
                        CONTEXT,
                        false));
    }

    /** There is something to propagate: one entry of the logging context. */
    static OursInSpring withContext(Limits limits) {
        MDC.put(MDC_KEY, "a");
        return started(limits, Map.of(METERS, false));
    }

    static OursInSpring complete(Limits limits) {
        MDC.put(MDC_KEY, "a");
        return started(limits, Map.of());
    }

    /** With the settings of the quick start: a limit over all groups, a bounded queue, a time-out, a group and a pattern. */
    static OursInSpring quickStart(Limits limits) {
        return quickStart(limits, Map.of());
    }

    /** The same with many patterns, of which the last one is that of the annotated method's groups. */
    static OursInSpring withPatterns(Limits limits) {
        Map<String, Object> patterns = new HashMap<>();
        for (int i = 1; i < PATTERNS; i++) {
            patterns.put("group-concurrency.groups[some-longer-name-" + i + ":*].weight", 1);
        }
        return quickStart(limits, patterns);
    }

    /** The same with far less tag values than there are keys. */
    static OursInSpring withManyKeys(Limits limits) {
        return quickStart(
                limits,
                Map.of("group-concurrency.metrics.group-tag", "all", "group-concurrency.metrics.max-tag-values", 10));
    }

    /** Two limits for each of some groups, by the keys, beside a pattern. */
    static OursInSpring withNamed(Limits limits, int groups) {
        Map<String, Object> named = new HashMap<>();
        for (String key : Keys.of("named-", groups)) {
            named.put("group-concurrency.groups[" + key + "].max-concurrency", 2);
            named.put("group-concurrency.groups[" + key + "].queue-threshold", 100);
        }
        named.put("group-concurrency.groups[tenant:*].max-concurrency", limits.perGroup());
        return started(limits, named);
    }

    /** The same with limits that are shared by instances, which meet in Redis. */
    static OursInSpring overInstances(Limits limits) {
        return quickStart(
                limits,
                Map.of(
                        "group-concurrency.defaults.cluster-max-in-flight",
                        limits.perGroup(),
                        "group-concurrency.cluster.on-store-loss",
                        "closed",
                        "group-concurrency.cluster.namespace",
                        Redis.NAMESPACE,
                        "group-concurrency.redis.uri",
                        Redis.only().address()));
    }

    static OursInSpring withoutTimers(Limits limits) {
        return quickStart(limits, Map.of("group-concurrency.metrics.timers", "none"));
    }

    private static OursInSpring quickStart(Limits limits, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("group-concurrency.global.max-in-flight", limits.hasGlobal() ? limits.global() : 200);
        settings.put("group-concurrency.defaults.queue-threshold", 1_000_000);
        settings.put("group-concurrency.defaults.queue-timeout", "5m");
        settings.put("group-concurrency.groups.vip.max-concurrency", 8);
        settings.put("group-concurrency.groups.vip.weight", 4);
        settings.put("group-concurrency.groups[tenant:*].max-concurrency", limits.perGroup());
        return started(limits, settings);
    }

    private static OursInSpring started(Limits limits, Map<String, Object> settings) {
        Map<String, Object> properties = new HashMap<>(settings);
        properties.put("group-concurrency.defaults.max-concurrency", limits.perGroup());
        if (limits.hasGlobal()) {
            properties.put("group-concurrency.global.max-in-flight", limits.global());
        }
        return new OursInSpring(new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(properties)
                .run());
    }

    @Override
    public AdvisedBean advised() {
        return application.getBean(AdvisedBean.class);
    }

    void refresh() {
        application.getBean(GroupConcurrencyRefresher.class).refresh();
    }

    @Override
    public void scrape() {
        if (endpoint.groups(null, null, null, null, null, null, null, null, null) == null
                || application.getBean(PrometheusMeterRegistry.class).scrape().isEmpty()) {
            throw new IllegalStateException("nothing to see");
        }
    }

    @Override
    public void close() {
        MDC.remove(MDC_KEY);
        super.close();
        application.close();
    }
}
