package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.endpoint.GroupExecutorEndpoint;
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
    private static final String METERS = "metrics";
    private static final String CONTEXT = "context-propagation";
    private static final String OBSERVATIONS = "observations";

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
        endpoint = new GroupExecutorEndpoint(() -> Map.of("groupExecutor", executor), "groupExecutor");
    }

    static OursInSpring bare(Limits limits) {
        return started(limits, Map.of(), METERS, CONTEXT, OBSERVATIONS);
    }

    /** Any number of groups stays, and each has meters of its own, as far as the default bound goes. */
    static OursInSpring withMeters(Limits limits) {
        return started(
                limits,
                Map.of("group-concurrency.max-idle-groups", 1_000_000, "group-concurrency.metrics.group-tag", "all"),
                CONTEXT,
                OBSERVATIONS);
    }

    /** There is something to propagate: one entry of the logging context. */
    static OursInSpring withContext(Limits limits) {
        MDC.put(MDC_KEY, "a");
        return started(limits, Map.of(), METERS, OBSERVATIONS);
    }

    static OursInSpring complete(Limits limits) {
        MDC.put(MDC_KEY, "a");
        return started(limits, Map.of());
    }

    private static OursInSpring started(Limits limits, Map<String, Object> settings, String... switchedOff) {
        Map<String, Object> properties = new HashMap<>(settings);
        properties.put("group-concurrency.defaults.max-concurrency", limits.perGroup());
        if (limits.hasGlobal()) {
            properties.put("group-concurrency.max-in-flight", limits.global());
        }
        for (String off : switchedOff) {
            properties.put("group-concurrency." + off + ".enabled", false);
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

    @Override
    public void scrape() {
        if (endpoint.groups(null, null, null).getBody() == null
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
