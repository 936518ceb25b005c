package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("E10")
class MaxKeyLengthTests {

    @RegisterExtension
    final Engines engines = new Engines();

    @Test
    void noGroupIsMadeForALongerKeyWhateverAsksForIt() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().maxKeyLength(3).build());
        List<ThrowingCallable> ways = List.of(
                () -> executor.submit("long", () -> "never"),
                () -> executor.call("long", () -> "never"),
                () -> executor.acquire("long"),
                () -> executor.tryAcquire("long", Duration.ZERO),
                () -> executor.acquireAsync("long"),
                () -> executor.rejectLate("long", "1"),
                () -> executor.setLimits("long", GroupLimits.unset().withWeight(2)),
                () -> executor.pause("long"));
        for (ThrowingCallable way : ways) {
            assertThatIllegalArgumentException()
                    .isThrownBy(way)
                    .withMessage("The group key 'long' has 4 characters; allowed: at most 3");
        }

        assertThat(executor.groupKeys()).isEmpty();
        assertThat(executor.stats().totals().submitted()).isZero();
        assertThat(executor.call("abc", () -> "called")).isEqualTo("called");
    }

    @Test
    void withoutASettingAnyKeyWillDo() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        assertThat(executor.call("k".repeat(100_000), () -> "called")).isEqualTo("called");
    }
}
