package io.github.kobe.spring.web;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Warns once, at start-up, if the waiting requests of one group could occupy all threads of a web server: the threads
 * are platform threads, and at least as many requests may wait.
 */
final class WaitingThreadsWarning implements ApplicationListener<ApplicationReadyEvent> {

    private static final Log LOGGER = LogFactory.getLog(WaitingThreadsWarning.class);

    /** How many rules a warning names. */
    private static final int RULES_SHOWN = 3;

    private static final List<Server> SERVERS = List.of(
            new Server("org.apache.catalina.startup.Tomcat", "server.tomcat.threads.max", 200),
            new Server("org.eclipse.jetty.server.Server", "server.jetty.threads.max", 200),
            new Server(
                    "io.undertow.Undertow",
                    "server.undertow.threads.worker",
                    8 * Math.max(Runtime.getRuntime().availableProcessors(), 2)));

    private final ApplicationContext context;
    private final ExecutorBeans executors;

    /**
     * Makes a warning.
     *
     * @param context the application
     * @param executors the groups of the default one have queues
     */
    WaitingThreadsWarning(ApplicationContext context, ExecutorBeans executors) {
        this.context = context;
        this.executors = executors;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent ready) {
        Environment environment = context.getEnvironment();
        Binder settings = Binder.get(environment);
        if (!ready.getApplicationContext().equals(context)
                || environment.getProperty("local.server.port") == null
                || settings.bind("spring.threads.virtual.enabled", Boolean.class)
                        .orElse(false)) {
            return;
        }
        GroupExecutor groups = executors.theDefault().orElse(null);
        if (groups == null) {
            return;
        }
        server().ifPresent(server -> {
            int threads = settings.bind(server.property, Integer.class).orElse(server.defaultThreads);
            List<String> rules = rulesThatLetWait(threads, groups.policy());
            if (!rules.isEmpty()) {
                LOGGER.warn("The web server has " + threads + " platform threads (" + server.property
                        + "). The queue-threshold of " + String.join(", ", rules)
                        + " lets at least as many calls of one group"
                        + " wait on them, so a single busy group could hold them all. Set"
                        + " spring.threads.virtual.enabled, or a queue-threshold below " + threads);
            }
        });
    }

    private static Optional<Server> server() {
        ClassLoader loader = WaitingThreadsWarning.class.getClassLoader();
        return SERVERS.stream()
                .filter(server -> ClassUtils.isPresent(server.className, loader))
                .findFirst();
    }

    private static List<String> rulesThatLetWait(int threads, GroupPolicy policy) {
        List<String> rules = new ArrayList<>();
        if (policy.globalQueueThreshold() < threads) {
            return rules;
        }
        if (policy.defaults().queueThreshold().orElse(Integer.MAX_VALUE) >= threads) {
            rules.add("the defaults");
        }
        Stream.of(policy.groups(), policy.patterns())
                .flatMap(map -> map.entrySet().stream())
                .filter(rule -> rule.getValue().queueThreshold().orElse(0) >= threads)
                .limit(RULES_SHOWN)
                .forEach(rule -> rules.add("'" + PrintableText.ofKey(rule.getKey()) + "'"));
        return rules;
    }

    /** A kind of web server: the setting that tells how many threads it has. */
    private record Server(String className, String property, int defaultThreads) {}
}
