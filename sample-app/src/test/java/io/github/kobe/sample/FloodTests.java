package io.github.kobe.sample;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.sample.flood.Flood;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FloodTests {

    private static final int CLIENTS = 30;
    private static final String NUMBER = " +([1-9]\\d*)";
    private static final String NONE = " +0";

    @Test
    void itTellsThatTheFloodingTenantIsTurnedAwayAndNobodyElse() throws Exception {
        List<String> told = flood();

        assertThat(told).hasSize(16).startsWith("The neighbours alone:").contains("While 30 clients of acme flood:");
        assertThat(told.get(9)).matches("acme" + NUMBER + NUMBER + NONE + ".*");
        for (String neighbour : List.of("hooli", "initech", "vip-globex", "vip-umbrella")) {
            assertThat(told)
                    .filteredOn(line -> line.startsWith(neighbour))
                    .hasSize(2)
                    .allMatch(line -> line.matches(neighbour + NUMBER + NONE + NONE + ".*"));
        }
    }

    @Test
    @Tag("deep")
    void withoutLimitsNobodyIsTurnedAway() throws Exception {
        List<String> told = flood("group-concurrency.annotation.enabled=false");

        assertThat(told.get(9)).matches("acme" + NUMBER + NONE + NONE + ".*");
    }

    @Test
    void itSaysWhereNoSampleIs() {
        Flood flood = new Flood("http://127.0.0.1:1", CLIENTS, Duration.ofSeconds(1));

        assertThatThrownBy(() -> flood.tell(System.out)).isInstanceOf(IOException.class);
    }

    private static List<String> flood(String... settings) throws IOException, InterruptedException {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        try (RunningSample sample = RunningSample.start(settings)) {
            sample.partner().open(20);
            new Flood(sample.address(), CLIENTS, Duration.ofMillis(600)).tell(new PrintStream(told, true, UTF_8));
        }
        return told.toString(UTF_8).lines().toList();
    }
}
