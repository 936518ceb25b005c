package io.github.kobe.spring.test.docs;

import static io.github.kobe.spring.test.GroupAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.test.AutoConfigureGroupConcurrency;
import io.github.kobe.spring.test.QuietExecutorExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** With Boot 3.5's slice, which has moved since. */
@Tag("boot35")
@WebMvcTest(ReportController.class)
@Import(ReportService.class)
@AutoConfigureGroupConcurrency
@ExtendWith(QuietExecutorExtension.class)
class ReportControllerTests {

    @Autowired
    MockMvcTester mvc;

    @Autowired
    GroupExecutor executor;

    @Test
    void aReportIsBuiltInTheGroupOfItsTenant() {
        assertThat(mvc.get().uri("/reports/acme")).hasStatusOk();
        assertThat(executor).group("tenant:acme").hasSucceeded(1);
    }
}
