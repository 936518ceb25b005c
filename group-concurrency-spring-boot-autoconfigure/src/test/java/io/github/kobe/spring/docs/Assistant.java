package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.ai.GroupConcurrencyAdvisor;
import org.springframework.ai.chat.client.ChatClient;
import reactor.core.publisher.Flux;

/** What the howto on language models shows of Spring AI. */
class Assistant {

    private final ChatClient client;

    Assistant(ChatClient.Builder builder, GroupExecutor executor) {
        client = builder.defaultAdvisors(
                        GroupConcurrencyAdvisor.builder(executor).build())
                .build();
    }

    String ask(String tenant, String question) {
        return client.prompt(question)
                .advisors(call -> call.param(GroupConcurrencyAdvisor.GROUP, "llm:" + tenant))
                .call()
                .content();
    }

    Flux<String> explain(String tenant, String question) {
        return client
                .prompt(question)
                .advisors(call -> call.param(GroupConcurrencyAdvisor.GROUP, "llm:" + tenant))
                .stream()
                .content();
    }
}
