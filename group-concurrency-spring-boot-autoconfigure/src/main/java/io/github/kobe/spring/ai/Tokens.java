package io.github.kobe.spring.ai;

import io.github.kobe.Costs;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;

/** How many tokens a call of a language model takes, before it and after it. */
final class Tokens {

    private static final String RATE = "tokens";

    /** A usual guess for English text. */
    private static final int CHARACTERS_A_TOKEN = 4;

    /** The largest cost. */
    private static final long MOST = 1_000_000_000;

    private Tokens() {}

    /**
     * {@return what a call may take: a quarter of the prompt's characters, and what its options allow the answer}
     *
     * @param request the call
     */
    static Costs estimate(ChatClientRequest request) {
        long characters = 0;
        for (Message message : request.prompt().getInstructions()) {
            characters += charactersOf(message);
        }
        ChatOptions options = request.prompt().getOptions();
        Integer ofAnswer = options == null ? null : options.getMaxTokens();
        long ofPrompt = Math.ceilDiv(characters, CHARACTERS_A_TOKEN);
        return costs(ofPrompt + (ofAnswer == null ? 0 : ofAnswer));
    }

    private static long charactersOf(Message message) {
        long characters = lengthOf(message.getText());
        if (message instanceof AssistantMessage answer) {
            for (AssistantMessage.ToolCall call : answer.getToolCalls()) {
                characters += lengthOf(call.name()) + lengthOf(call.arguments());
            }
        } else if (message instanceof ToolResponseMessage results) {
            for (ToolResponseMessage.ToolResponse result : results.getResponses()) {
                characters += lengthOf(result.responseData());
            }
        }
        return characters;
    }

    private static long lengthOf(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /** {@return all tokens that an answer says it has taken} */
    static Costs total(Usage usage) {
        return costs(usage.getTotalTokens());
    }

    private static Costs costs(long tokens) {
        return Costs.of(RATE, (int) Math.clamp(tokens, 0, MOST));
    }

    /**
     * {@return what an answer says of its usage; {@code null}: nothing} One that doesn't know says 0, which no call takes.
     *
     * @param answer the answer, or a part of it
     */
    static @Nullable Usage usageIn(@Nullable ChatResponse answer) {
        ChatResponseMetadata metadata = answer == null ? null : answer.getMetadata();
        Usage usage = metadata == null ? null : metadata.getUsage();
        Integer tokens = usage == null ? null : usage.getTotalTokens();
        return tokens == null || tokens <= 0 ? null : usage;
    }
}
