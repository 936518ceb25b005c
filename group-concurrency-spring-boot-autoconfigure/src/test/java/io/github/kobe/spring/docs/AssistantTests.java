package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.RateStats;
import io.github.kobe.spring.ai.ModelServer;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Markdown;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** What the howto on language models shows of Spring AI runs, with the settings that it shows. */
@Tag("springai")
class AssistantTests {

    @TempDir
    Path folder;

    @Test
    void theHowtoOnLanguageModelsLimitsWhatAClientAsks() throws Exception {
        String yaml = Markdown.page("docs/howto/call-a-language-model.md")
                .blocks("yaml")
                .getFirst();
        Path settings = Files.writeString(folder.resolve("application.yml"), yaml);
        try (ModelServer server = new ModelServer();
                ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .run(Stream.concat(
                                        Stream.of(server.settings()),
                                        Stream.of("spring.config.location=" + settings.toUri()))
                                .map(setting -> "--" + setting)
                                .toArray(String[]::new))) {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Assistant assistant = context.getBean(Assistant.class);

            assertThat(assistant.ask("a", "What do you get?")).isEqualTo("answer");
            assertThat(assistant.explain("a", "And why?").collectList().block(Deadline.LONG))
                    .containsExactly("answer", " of it");
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
            GroupStats group = executor.groupStats("llm:a").orElseThrow();
            assertThat(group.totals().succeeded()).isEqualTo(2);
            assertThat(group.rateStats())
                    .extracting(RateStats::rate)
                    .extracting(rate -> rate.name())
                    .containsExactly("requests", "tokens");

            CountedCalls.client(context.getBean(ChatClient.Builder.class), executor)
                    .prompt("What do you get?")
                    .call()
                    .content();
            assertThat(executor.groupStats("llm:account").orElseThrow().totals().succeeded())
                    .isEqualTo(1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Assistant.class)
    static class Application {}
}
