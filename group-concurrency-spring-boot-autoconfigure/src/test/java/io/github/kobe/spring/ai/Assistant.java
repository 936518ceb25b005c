package io.github.kobe.spring.ai;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.ToolCallAdvisor;
import org.springframework.ai.chat.client.advisor.api.Advisor;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisor;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisorChain;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;

/** An application that asks a language model by a client of Spring AI; no test has types of Spring AI in its signatures. */
final class Assistant implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    private final AtomicReference<@Nullable Observation> observed = new AtomicReference<>();

    /** An application with some settings. */
    Assistant(ModelServer server, String... settings) {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(Stream.of(server.settings(), settings)
                        .flatMap(Stream::of)
                        .map(setting -> "--" + setting)
                        .toArray(String[]::new));
    }

    GroupExecutor executor() {
        return context.getBean(GroupExecutor.class);
    }

    ObservationRegistry observations() {
        return context.getBean(ObservationRegistry.class);
    }

    /** {@return the observation under which {@link #clientThatAnswersAtOnce} has answered last; {@code null}: none} */
    @Nullable
    Observation observed() {
        return observed.get();
    }

    /** {@return a client that is limited as the advisor does it by itself} */
    Client client() {
        return new Client(GroupConcurrencyAdvisor.builder(executor()).build());
    }

    /** {@return a client that limits what is asked for one group, and nothing else} */
    Client clientOf(String groupKey) {
        return new Client(GroupConcurrencyAdvisor.builder(executor())
                .key(request -> groupKey.equals(request.context().get(GroupConcurrencyAdvisor.GROUP)) ? groupKey : null)
                .build());
    }

    /** {@return a client that counts what goes in and what comes out apart} */
    Client clientThatCountsBothWays() {
        return new Client(GroupConcurrencyAdvisor.builder(executor())
                .costs(request -> Costs.of("input", 100).and("output", 100))
                .used(usage -> Costs.of("input", usage.getPromptTokens()).and("output", usage.getCompletionTokens()))
                .build());
    }

    /** {@return a client that lets advisors run tools} */
    Client clientWithTools() {
        return new Client(
                ToolCallAdvisor.builder().build(),
                GroupConcurrencyAdvisor.builder(executor()).build());
    }

    /** {@return a client that answers on the subscribing thread, within the limit, and asks no model} */
    Client clientThatAnswersAtOnce() {
        return new Client(GroupConcurrencyAdvisor.builder(executor()).build(), new AtOnce());
    }

    /** {@return a client each of whose calls is in a group for the account too} */
    Client clientWithAccount(String account) {
        return new Client(
                GroupConcurrencyAdvisor.builder(executor())
                        .key(request -> account)
                        .order(0)
                        .build(),
                GroupConcurrencyAdvisor.builder(executor()).build());
    }

    @Override
    public void close() {
        context.close();
    }

    /** A client, and how it is used. */
    final class Client {

        private final ChatClient chat;

        Client(Advisor... advisors) {
            chat = context.getBean(ChatClient.Builder.class)
                    .defaultAdvisors(advisors)
                    .build();
        }

        String ask(@Nullable String groupKey, String text) {
            return prompt(groupKey, text).call().content();
        }

        /** Asks with a tool, which tells how many of the group are in flight. */
        String askWithTool(String groupKey, String text) {
            return prompt(groupKey, text)
                    .tools(new InFlight(executor(), groupKey))
                    .call()
                    .content();
        }

        Flux<String> stream(@Nullable String groupKey, String text) {
            return prompt(groupKey, text).stream().content();
        }

        Flux<String> streamWithTool(String groupKey, String text) {
            return prompt(groupKey, text).tools(new InFlight(executor(), groupKey)).stream()
                    .content();
        }

        private ChatClient.ChatClientRequestSpec prompt(@Nullable String groupKey, String text) {
            ChatClient.ChatClientRequestSpec prompt = chat.prompt(text);
            return groupKey == null
                    ? prompt
                    : prompt.advisors(call -> call.param(GroupConcurrencyAdvisor.GROUP, groupKey));
        }
    }

    /** Answers in place of the model. */
    private final class AtOnce implements StreamAdvisor {

        @Override
        public Flux<ChatClientResponse> adviseStream(ChatClientRequest request, StreamAdvisorChain chain) {
            return Flux.deferContextual(view -> {
                observed.set(view.getOrDefault(ObservationThreadLocalAccessor.KEY, null));
                return Flux.just(ChatClientResponse.builder()
                        .chatResponse(new ChatResponse(List.of(new Generation(new AssistantMessage("answer")))))
                        .context(request.context())
                        .build());
            });
        }

        @Override
        public String getName() {
            return "at once";
        }

        @Override
        public int getOrder() {
            return GroupConcurrencyAdvisor.DEFAULT_ORDER + 1;
        }
    }

    /** A tool that the model has called. */
    record InFlight(GroupExecutor executor, String groupKey) {

        @Tool(name = "starts", description = "Tells how many calls are in flight")
        String inFlight() {
            return executor.groupStats(groupKey).orElseThrow().inFlight() + " in flight";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
