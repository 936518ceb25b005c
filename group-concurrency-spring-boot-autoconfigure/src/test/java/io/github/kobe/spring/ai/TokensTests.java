package io.github.kobe.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Costs;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.metadata.EmptyUsage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;

/** What a call is thought to take, and what an answer says. */
@Tag("springai")
class TokensTests {

    @Test
    void aQuarterOfTheCharactersOfAllMessagesIsEstimated() {
        Prompt prompt = new Prompt(
                new SystemMessage("s".repeat(100)),
                new UserMessage("u".repeat(10)),
                AssistantMessage.builder()
                        .toolCalls(List.of(new AssistantMessage.ToolCall("1", "function", "find", "a".repeat(20))))
                        .build(),
                ToolResponseMessage.builder()
                        .responses(List.of(new ToolResponseMessage.ToolResponse("1", "find", "r".repeat(307))))
                        .build());

        assertThat(Tokens.estimate(new ChatClientRequest(prompt, Map.of())))
                .isEqualTo(Costs.of("tokens", (100 + 10 + 4 + 20 + 307 + 3) / 4));
    }

    @Test
    void whatTheAnswerMayHaveIsEstimatedToo() {
        ChatOptions options = ChatOptions.builder().maxTokens(500).build();

        assertThat(Tokens.estimate(new ChatClientRequest(new Prompt("x", options), Map.of())))
                .isEqualTo(Costs.of("tokens", 501));
    }

    @Test
    void anEstimateIsNoMoreThanACostCanBe() {
        ChatOptions options = ChatOptions.builder().maxTokens(Integer.MAX_VALUE).build();

        assertThat(Tokens.estimate(new ChatClientRequest(new Prompt("x", options), Map.of())))
                .isEqualTo(Costs.of("tokens", 1_000_000_000));
    }

    @Test
    void anAnswerThatKnowsNothingOfItsUsageSaysNothing() {
        assertThat(Tokens.usageIn(null)).isNull();
        assertThat(Tokens.usageIn(new ChatResponse(List.of()))).isNull();
        assertThat(Tokens.usageIn(new ChatResponse(List.of(), null))).isNull();
        assertThat(Tokens.usageIn(new ChatResponse(
                        List.of(),
                        ChatResponseMetadata.builder().usage(new EmptyUsage()).build())))
                .isNull();
    }

    @Test
    void whatAnAnswerSaysIsItsTotal() {
        DefaultUsage usage = new DefaultUsage(40, 20);

        assertThat(Tokens.usageIn(new ChatResponse(
                        List.of(), ChatResponseMetadata.builder().usage(usage).build())))
                .isSameAs(usage);
        assertThat(Tokens.total(usage)).isEqualTo(Costs.of("tokens", 60));
    }
}
