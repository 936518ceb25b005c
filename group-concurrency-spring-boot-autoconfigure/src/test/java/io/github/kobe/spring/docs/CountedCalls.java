package io.github.kobe.spring.docs;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.ai.GroupConcurrencyAdvisor;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.api.Advisor;

/** What the howto on language models shows of an advisor that counts in another way. */
class CountedCalls {

    static Advisor advisor(GroupExecutor executor) {
        return GroupConcurrencyAdvisor.builder(executor)
                .key(request -> "llm:account")
                .costs(request -> Costs.of("input", 2_000).and("output", 500))
                .used(usage -> Costs.of("input", usage.getPromptTokens()).and("output", usage.getCompletionTokens()))
                .build();
    }

    static ChatClient client(ChatClient.Builder builder, GroupExecutor executor) {
        return builder.defaultAdvisors(advisor(executor)).build();
    }
}
