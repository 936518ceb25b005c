package io.github.kobe.spring.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.cluster.GroupConcurrencyRedisAutoConfiguration;
import io.github.kobe.spring.rollout.GroupConcurrencyRolloutAutoConfiguration;
import io.github.kobe.spring.scope.GroupConcurrencyScopeAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.spring.web.GroupConcurrencyWebAutoConfiguration;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Settings that the docs show, beside all jars of the starter. */
@Tag("deep")
class SettingsInTheDocsTests {

    static Stream<String> settings() {
        return Markdown.pages().stream()
                .flatMap(page -> page.blocks("yaml").stream())
                .distinct();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void theSettingsInTheDocsAreKnownAndInTheirRanges(String yaml) {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class,
                        GroupConcurrencyRedisAutoConfiguration.class,
                        GroupConcurrencyRolloutAutoConfiguration.class,
                        GroupConcurrencyScopeAutoConfiguration.class,
                        GroupConcurrencyWebAutoConfiguration.class))
                .withConfiguration(BootAutoConfigurations.named("DataSourceAutoConfiguration"))
                .withConfiguration(
                        BootAutoConfigurations.either("RedisAutoConfiguration", "DataRedisAutoConfiguration"))
                .withPropertyValues("MANAGEMENT_PORT=0")
                .withInitializer(context ->
                        sources(yaml).forEach(context.getEnvironment().getPropertySources()::addLast))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(GroupExecutor.class));
    }

    private static List<PropertySource<?>> sources(String yaml) {
        try {
            return new YamlPropertySourceLoader().load("docs", new ByteArrayResource(yaml.getBytes(UTF_8)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @ParameterizedTest
    @Tag("deep")
    @MethodSource("settings")
    void anApplicationStartsWithTheSettingsInTheDocs(String yaml, @TempDir Path folder) throws IOException {
        try (DocumentedApplication application = new DocumentedApplication(yaml, folder)) {
            assertThat(application.bean(GroupExecutor.class).isShutdown()).isFalse();
        }
    }
}
