package io.github.kobe.compat;

import static io.github.kobe.spring.test.GroupAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.test.AutoConfigureGroupConcurrency;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Boot 4's slice, which has another name than Boot 3.5's. */
@WebMvcTest
@AutoConfigureGroupConcurrency
class WebMvcSliceTests {

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    private GroupExecutor executor;

    @Test
    void aControllerOfASliceIsLimited() {
        assertThat(mvc.get().uri("/reports/a")).hasStatusOk().hasBodyTextEqualTo("report of a");
        assertThat(executor).group("tenant:a").hasSucceeded(1).isQuiet();
    }

    @Test
    void aRejectionIsAnsweredAsInTheApplication() {
        executor.setLimits("tenant:full", GroupLimits.unset().withQueueThreshold(0));
        executor.pause("tenant:full");

        assertThat(mvc.get().uri("/reports/full")).hasStatus(429);
    }

    @SpringBootConfiguration
    @Import(Reports.class)
    static class Application {}

    @RestController
    static class Reports {

        @GetMapping("/reports/{tenantId}")
        @GroupConcurrent(group = "tenant:#{#tenantId}")
        public String report(@PathVariable String tenantId) {
            return "report of " + tenantId;
        }
    }
}
