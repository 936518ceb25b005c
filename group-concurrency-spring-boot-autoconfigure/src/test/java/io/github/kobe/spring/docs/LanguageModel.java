package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.annotation.GroupConcurrent;
import java.net.URI;
import java.util.Map;
import org.springframework.web.client.RestClient;

/** What the howto on language models shows. */
class LanguageModel {

    private final RestClient rest = RestClient.create();
    private final GroupExecutor executor;

    LanguageModel(GroupExecutor executor) {
        this.executor = executor;
    }

    @GroupConcurrent(group = "llm:#{#tenant}", cost = "tokens=#prompt.length() / 4 + 500")
    public String ask(String tenant, URI model, String prompt) {
        Map<String, Object> request = Map.of("prompt", prompt, "max_tokens", 500);
        Completion answer = rest.post().uri(model).body(request).retrieve().body(Completion.class);
        executor.settle("tokens", answer.totalTokens());
        return answer.text();
    }

    record Completion(String text, long totalTokens) {}
}
