package io.github.kobe.spring.testing;

import io.github.kobe.testing.Depth;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * An application of a test that says what it needs is configured for nothing else: to configure it for all that is on
 * the class path takes three times as long. A deep build does that on Spring Boot 4, a long one on both.
 */
public final class NeededAutoConfigurations implements AutoConfigurationImportFilter, EnvironmentAware {

    /** The setting that names the {@link Part parts}, with commas between them; empty where the web alone is needed. */
    public static final String SETTING = "test.needs";

    private static final Pattern ALWAYS = Pattern.compile(".*\\.(Aop|ApplicationAvailability|Codecs"
            + "|ConfigurationProperties|DispatcherServlet|EmbeddedWebServerFactoryCustomizer|Error(Mvc|WebFlux)"
            + "|GroupConcurren\\w+|Http(Encoding|Handler|MessageConverters)|Jackson2?|Jmx|Lifecycle|Multipart|Netty\\w*"
            + "|PropertyPlaceholder|Reactor|(Reactive|Servlet)WebServerFactory|Ssl|TaskExecution|Tomcat\\w*"
            + "|Web(Mvc|Flux)|WebSocket(Servlet|Reactive))AutoConfiguration");

    private static final boolean EVERYTHING =
            Depth.pick(false, SpringBootVersion.getVersion().startsWith("4."), true);

    private @Nullable Set<Part> needed;

    /** What an application needs besides the web. */
    public enum Part {
        ACTUATOR(Pattern.compile(".*\\.(actuate|health)\\.(?!.*\\.(metrics|observation|security|tracing)\\.).*")),
        METRICS(Pattern.compile(".*\\.metrics\\..*"));

        private final Pattern names;

        Part(Pattern names) {
            this.names = names;
        }
    }

    @Override
    public void setEnvironment(Environment environment) {
        String parts = environment.getProperty(SETTING);
        needed = parts == null || EVERYTHING
                ? null
                : Stream.of(parts.split(","))
                        .filter(part -> !part.isEmpty())
                        .map(Part::valueOf)
                        .collect(Collectors.toSet());
    }

    @Override
    public boolean[] match(@Nullable String[] names, AutoConfigurationMetadata metadata) {
        boolean[] matches = new boolean[names.length];
        for (int at = 0; at < names.length; at++) {
            matches[at] = isNeeded(names[at]);
        }
        return matches;
    }

    /** It is asked about classes that they import, too; and one that another filter has ruled out has no name. */
    private boolean isNeeded(@Nullable String name) {
        return needed == null
                || name == null
                || !name.endsWith("AutoConfiguration")
                || ALWAYS.matcher(name).matches()
                || needed.stream().anyMatch(part -> part.names.matcher(name).matches());
    }
}
