package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.testing.Caller;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GroupControlTests {

    private final GroupExecutor executor =
            GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());

    /** Each reads what is set and then sets all of it: one that doesn't look again takes back what the other has set. */
    @Test
    @Tag("once")
    void twoOperatorsWhoSetDifferentNumbersAtOnceBothWin() throws Exception {
        for (int round = 1; round <= 1_000; round++) {
            String number = Integer.toString(round);
            Caller<?> other = Caller.startPlatform(
                    Executors.callable(() -> set(new LimitsRequest(number, null, null, null, null, null, null, null))));
            set(new LimitsRequest(null, number, null, null, null, null, null, null));
            other.result();

            assertThat(executor.overrideOf("a"))
                    .contains(GroupLimits.unset().withMaxConcurrency(round).withMaxInFlight(round));
        }
    }

    @Test
    void anExecutorThatIsShutDownSaysSo() {
        assertThat(global().has("shutdown")).isFalse();

        executor.shutdown();

        assertThat(global().path("shutdown").asBoolean()).isTrue();
    }

    private JsonNode global() {
        return new ObjectMapper()
                .valueToTree(new GroupControl(executor, "instance")
                        .showAll(null, null, 0, 1)
                        .global());
    }

    private void set(LimitsRequest limits) {
        new GroupControl(executor, "instance").change("a", "set", limits, null);
    }
}
