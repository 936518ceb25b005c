package io.github.kobe.sample;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.sample.flood.RateFlood;
import io.github.kobe.testing.Markdown;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class RateFloodTests {

    private static final int CLIENTS = 30;
    private static final String NUMBER = " +[1-9]\\d*";
    private static final String NONE = " +0";

    @Test
    void itTellsThatThePartnerRefusedNothingAndWhoWasTurnedAway() throws Exception {
        // One each 100 ms: in three seconds half of what the partner takes.
        List<String> told = flood("sample.partner.vat.per=6s");

        assertThat(shape(told)).isEqualTo(shape(readme(0)));
        assertThat(told.get(2)).matches("acme" + NUMBER + NUMBER + NONE + ".*");
        List<String> neighbours = List.of("hooli", "initech", "vip-globex");
        for (int i = 0; i < neighbours.size(); i++) {
            assertThat(told.get(3 + i)).matches(neighbours.get(i) + NUMBER + NONE + NONE + ".*");
        }
        assertThat(told.getLast()).contains("\"refused\":0,");
    }

    @Test
    void withoutLimitsItIsThePartnerThatRefuses() throws Exception {
        List<String> told = flood("group-concurrency.annotation.enabled=false");

        assertThat(shape(told)).isEqualTo(shape(readme(1)));
        assertThat(told.get(2)).matches("acme" + NUMBER + NONE + NUMBER + ".*");
        assertThat(told.getLast()).contains("\"most\":60,").doesNotContain("\"refused\":0,");
    }

    @Test
    void itSaysWhereNoSampleIs() {
        RateFlood flood = new RateFlood("http://127.0.0.1:1", CLIENTS, Duration.ofSeconds(1));

        assertThatThrownBy(() -> flood.tell(System.out)).isInstanceOf(IOException.class);
    }

    /** {@return what the page says that it tells, with limits and without} */
    private static List<String> readme(int run) {
        return Markdown.page("sample-app/README.md").blocks("console").stream()
                .filter(block -> block.startsWith("$ ./sample-app/flood.sh --rate"))
                .skip(run)
                .flatMap(block -> block.lines().skip(1))
                .limit(9)
                .toList();
    }

    /** {@return all but the numbers, and whether there was one} Without any request answered there is no time. */
    private static List<String> shape(List<String> told) {
        return told.stream()
                .map(line -> line.replaceFirst("\"now\":.*", "")
                        .replaceAll("\\d+(\\.\\d+)?( s)?|(?<= )-", "#")
                        .replaceAll(" +", " "))
                .toList();
    }

    private static List<String> flood(String... settings) throws IOException, InterruptedException {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        try (RunningSample sample = RunningSample.start(settings)) {
            sample.partner().open(20);
            new RateFlood(sample.address(), CLIENTS, Duration.ofSeconds(3)).tell(new PrintStream(told, true, UTF_8));
        }
        return told.toString(UTF_8).lines().toList();
    }
}
