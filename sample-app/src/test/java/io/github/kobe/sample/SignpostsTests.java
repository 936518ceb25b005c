package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Tag("deep")
@ExtendWith(OutputCaptureExtension.class)
class SignpostsTests {

    private static final Pattern LINK = Pattern.compile("href=\"([^\"]+)\"");

    @Test
    void whateverThePageAndTheLogPointToIsThere(CapturedOutput output) {
        try (RunningSample sample = RunningSample.start()) {
            Reply page = sample.get("/");

            assertThat(page.contentType()).startsWith("text/html");
            assertThat(page.body()).contains("Tenants are kept to their limits");
            List<String> links = LINK.matcher(page.body())
                    .results()
                    .map(MatchResult::group)
                    .map(link -> link.substring("href=\"".length(), link.length() - 1))
                    .toList();
            assertThat(links).isNotEmpty().allSatisfy(link -> {
                assertThat(sample.get(link).status()).isEqualTo(200);
                assertThat(output).contains(sample.address() + link);
            });
        }
    }

    @Test
    void itSaysThatNothingIsLimited() {
        try (RunningSample sample = RunningSample.start("group-concurrency.annotation.enabled=false")) {
            assertThat(sample.get("/").body()).contains("Nothing is limited");
        }
    }

    @Test
    void itNamesTheFloodThatThisSampleIsFor() {
        try (RunningSample sample = RunningSample.start("spring.profiles.active=long")) {
            assertThat(sample.get("/").body()).contains("./sample-app/flood.sh --long");
        }
    }
}
