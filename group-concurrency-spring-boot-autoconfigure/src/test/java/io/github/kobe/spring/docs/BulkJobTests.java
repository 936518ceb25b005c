package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.spring.docs.RowStore.Row;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Gate;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The bulk job of the page, in Spring. */
@ExtendWith(OutputCaptureExtension.class)
class BulkJobTests {

    private static final int ROWS = 1_000;

    @TempDir
    static Path folder;

    private final Gate gate = new Gate();
    private final AtomicReference<ConfigurableApplicationContext> context = new AtomicReference<>();

    private static RowStore store(Work work) {
        List<Row> rows = IntStream.range(0, ROWS)
                .mapToObj(id -> new Row(id, "tenant-" + id % 50))
                .toList();
        return new RowStore() {
            @Override
            public List<Row> all() {
                return rows;
            }

            @Override
            public void recompute(Row row) throws IOException, InterruptedException {
                work.on(row);
            }
        };
    }

    /** Runs it, with the settings of the page. */
    private ConfigurableApplicationContext run(Work work) throws IOException {
        Path settings = folder.resolve("application.yml");
        Files.writeString(
                settings,
                Markdown.page("docs/howto/bulk-jobs.md").blocks("yaml").getFirst());
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .initializers(made -> {
                    context.set(made);
                    made.getBeanFactory().registerSingleton("rowStore", store(work));
                })
                .run("--spring.config.location=" + settings.toUri(), "--management.health.redis.enabled=false");
    }

    @Test
    void whatFailedIsToldAndInTheExitCode(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext ended = run(row -> {
            if (row.id() % 100 == 99) {
                throw new IOException("no answer");
            }
        });

        assertThat(SpringApplication.exit(ended)).isOne();
        assertThat(output)
                .contains("row 99 of tenant-49 failed: java.io.IOException: no answer")
                .contains("990 done, 10 failed, 0 not begun");
    }

    @Test
    void whenTheContextClosesWhatRunsEndsAndTheReportIsToldBeforeItIsClosed(CapturedOutput output) throws Exception {
        Caller<ConfigurableApplicationContext> job = Caller.start(() -> run(row -> gate.pass()));
        gate.awaitArrived(20);

        Caller<Boolean> signal = Caller.startPlatform(() -> {
            context.get().close();
            return output.getOut().contains("20 done, 0 failed, 980 not begun");
        });
        signal.awaitBlocked();
        gate.open();

        assertThat(signal.result()).isTrue();
        assertThat(job.result().isActive()).isFalse();
    }

    private interface Work {
        void on(Row row) throws IOException, InterruptedException;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(BulkJob.class)
    static class Application {}
}
