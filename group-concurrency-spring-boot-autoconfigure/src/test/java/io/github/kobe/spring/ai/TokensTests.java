package io.github.kobe.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Costs;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;

/** What a call is thought to take, and what an answer says. */
@Tag("springai")
class TokensTests {

    @Test
    void aQuarterOfTheCharactersOfAllMessagesIsEstimated() {
        assertThat(Told.ofAConversation(100, 10, 20, 307))
                .isEqualTo(tokens((100 + 10 + "find".length() + 20 + 307 + 3) / 4));
    }

    @Test
    void whatTheAnswerMayHaveIsEstimatedToo() {
        assertThat(Told.ofAnswersUpTo(500)).isEqualTo(tokens(501));
    }

    @Test
    void anEstimateIsNoMoreThanACostCanBe() {
        assertThat(Told.ofAnswersUpTo(Integer.MAX_VALUE)).isEqualTo(tokens(1_000_000_000));
    }

    @Test
    void anAnswerThatKnowsNothingOfItsUsageSaysNothing() {
        assertThat(Told.byNoAnswer()).isNull();
        assertThat(Told.byAnAnswerWithout()).isNull();
        assertThat(Told.byAnAnswerWithAnEmptyOne()).isNull();
    }

    @Test
    void whatAnAnswerSaysIsItsTotal() {
        assertThat(Told.byAnAnswer(40, 20)).isEqualTo(tokens(60));
    }

    private static Costs tokens(int cost) {
        return Costs.of("tokens", cost);
    }

    /** Apart from the tests, which are looked at without Spring AI too. */
    private static final class Told {

        static Costs ofAConversation(int system, int user, int arguments, int result) {
            return Tokens.estimate(new ChatClientRequest(
                    new Prompt(
                            new SystemMessage("s".repeat(system)),
                            new UserMessage("u".repeat(user)),
                            AssistantMessage.builder()
                                    .toolCalls(List.of(new AssistantMessage.ToolCall(
                                            "1", "function", "find", "a".repeat(arguments))))
                                    .build(),
                            ToolResponseMessage.builder()
                                    .responses(List.of(
                                            new ToolResponseMessage.ToolResponse("1", "find", "r".repeat(result))))
                                    .build()),
                    Map.of()));
        }

        static Costs ofAnswersUpTo(int tokens) {
            ChatOptions options = ChatOptions.builder().maxTokens(tokens).build();
            return Tokens.estimate(new ChatClientRequest(new Prompt("x", options), Map.of()));
        }

        static @Nullable Costs byNoAnswer() {
            return by(null);
        }

        static @Nullable Costs byAnAnswerWithout() {
            return by(new ChatResponse(List.of()));
        }

        static @Nullable Costs byAnAnswerWithAnEmptyOne() {
            return by(answer(new EmptyUsage()));
        }

        static @Nullable Costs byAnAnswer(int prompt, int answer) {
            return by(answer(new DefaultUsage(prompt, answer)));
        }

        private static ChatResponse answer(Usage usage) {
            return new ChatResponse(
                    List.of(), ChatResponseMetadata.builder().usage(usage).build());
        }

        private static @Nullable Costs by(@Nullable ChatResponse answer) {
            Usage usage = Tokens.usageIn(answer);
            return usage == null ? null : Tokens.total(usage);
        }
    }
}
