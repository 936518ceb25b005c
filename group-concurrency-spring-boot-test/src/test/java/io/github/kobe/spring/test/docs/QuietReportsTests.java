package io.github.kobe.spring.test.docs;

import static io.github.kobe.spring.test.GroupAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.spring.test.QuietExecutorExtension;
import io.github.kobe.testing.Gate;
import io.github.kobe.testing.Markdown;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("once")
class QuietReportsTests {

    private final Gate gate = new Gate();
    private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .defaults(GroupLimits.unset().withMaxConcurrency(1))
            .build());

    @RegisterExtension
    final QuietExecutorExtension quiet = QuietExecutorExtension.watching(executor);

    @AfterEach
    void open() {
        gate.open();
    }

    @Test
    void aFailureReadsAsThePageShowsIt() {
        TaskHandle<String> first = executor.submit("tenant:a", "first", gate.then("one"));
        gate.awaitArrived(1);
        TaskHandle<String> next = executor.submit("tenant:a", "next", gate.then("two"));
        assertThat(first.isDone() || next.isDone()).isFalse();

        Throwable failure =
                catchThrowable(() -> assertThat(executor).group("tenant:a").isQuiet());

        String shown = Markdown.page("docs/howto/testing.md").blocks("").getFirst();
        assertThat(withoutTimes(failure.getMessage())).isEqualTo(withoutTimes(shown));
    }

    private static String withoutTimes(String text) {
        return text.strip().replaceAll("for \\d+ ms", "for N ms").replaceAll("\\R", "\n");
    }
}
