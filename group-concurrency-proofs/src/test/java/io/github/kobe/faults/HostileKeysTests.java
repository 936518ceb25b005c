package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys that somebody has chosen to do harm. After each, the audit, and the executor works. */
class HostileKeysTests {

    private static final String FORGED_LINE = "[\\r\\n\\u0085\\u2028\\u2029\\u202e\\u2066\\u0000]";

    /** Of a key of 64 KB, or of 1 MB. */
    private static final int LINE_ENDS = Depth.pick(1 << 15, 1 << 19, 1 << 19);

    @RegisterExtension
    final Engines engines = new Engines();

    static Stream<Arguments> keys() {
        return Stream.of(
                Arguments.of("many line ends", "k" + "\r\n".repeat(LINE_ENDS)),
                Arguments.of("a lone high surrogate", "\uD83D"),
                Arguments.of("a lone low surrogate", "\uDE00"),
                Arguments.of("surrogates the wrong way round", "\uDE00\uD83D"),
                Arguments.of("a surrogate pair where it is cut", "k".repeat(127) + "\uD83D\uDE00"),
                Arguments.of("zero", "\0"),
                Arguments.of("a line end", "\r\n2026-01-01 INFO all is well"),
                Arguments.of("line ends of others", "\u0085\u2028\u2029"),
                Arguments.of("bidirectional marks", "\u202e\u2066"),
                Arguments.of("an escape sequence", "\u001b[2J"),
                Arguments.of("a pattern", "*"),
                Arguments.of("formats", "%s%n{0}${x}#{T(java.lang.Runtime)}"));
    }

    /** A key with a star can't be named exactly, and matches itself. */
    private static GroupPolicy.Builder named(GroupPolicy.Builder builder, String key, GroupLimits limits) {
        return key.contains("*") ? builder.pattern(key, limits) : builder.group(key, limits);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("keys")
    @Tag("K7")
    void everyWayTakesAnyKeyAndId(String name, String key) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());

        new Workload(engines, executor, key, () -> "done", handle -> {}).takeAll();

        Workload.requireWorking(executor);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("keys")
    @Tag("E1")
    @Tag("E12")
    void aKeyIsFoundByWhatItEquals(String name, String key) throws Exception {
        GroupExecutor executor = engines.start(
                named(GroupPolicy.builder(), key, GroupLimits.unset().withMaxConcurrency(2))
                        .pattern(key + "*y", GroupLimits.unset().withMaxConcurrency(3))
                        .build());
        String same = new String(key.toCharArray());
        assertThat(same).isNotSameAs(key);

        TaskHandle<String> handle = executor.submit(same, same, () -> "done");

        assertThat(handle.await().groupKey()).isEqualTo(key);
        assertThat(handle.taskId()).isEqualTo(key);
        assertThat(executor.groupStats(same).orElseThrow().maxConcurrency().value())
                .isEqualTo(2);
        assertThat(executor.policy()
                        .explain(same + "x y")
                        .maxConcurrency()
                        .orElseThrow()
                        .value())
                .isEqualTo(3);
        assertThat(executor.groupKeys()).containsExactly(key);
        executor.evictGroup(same);
        assertThat(executor.groupKeys()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("keys")
    @Tag("K7")
    void noKeyForgesALineOrFillsAPageWhereverItIsShown(String name, String key) throws Exception {
        List<String> shown = new CopyOnWriteArrayList<>();
        GroupExecutor executor =
                engines.start(named(Workload.policy(), key, GroupLimits.unset().withQueueThreshold(0))
                        .rejectionPolicy(RejectionPolicy.ABORT)
                        .taskLifecycleListener(new TaskLifecycleListener() {
                            @Override
                            public void onSubmitted(String groupKey, String taskId) {
                                throw new IllegalStateException("to be logged");
                            }
                        })
                        .build());

        try (CapturedLog log = CapturedLog.open()) {
            shown.add(executor.submit(key, key, () -> Thread.currentThread().getName())
                    .await()
                    .value());
            shown.addAll(log.warnings());
        }
        GroupPermit permit = executor.acquireAsync(key).toCompletableFuture().join();
        TaskHandle<String> rejected = executor.submit(key, key, () -> "no");
        shown.add(catchThrowableOfType(RejectedTaskException.class, rejected::await)
                .getMessage());
        shown.add(rejected.toString());
        executor.setLimits(key, GroupLimits.unset().withQueueThreshold(1));
        TaskHandle<String> cancelled = executor.submit(key, key, () -> "no");
        cancelled.cancel(true);
        shown.add(cancelled.await().error().getMessage());
        shown.add(catchThrowableOfType(
                        InvalidPolicyException.class,
                        () -> executor.setLimits(key, GroupLimits.unset().withWeight(0)))
                .getMessage());
        shown.add(catchThrowableOfType(
                        RejectedTaskException.class, () -> executor.call(key, key, Duration.ZERO, () -> "no"))
                .getMessage());
        permit.close();

        assertThat(shown)
                .hasSize(7)
                .allSatisfy(text -> assertThat(text)
                        .doesNotContainPattern(FORGED_LINE)
                        .hasSizeLessThan(2 * KeyText.MAX_LENGTH + 200));
    }

    /** 2^n different keys with one hash code. */
    private static List<String> colliding(int n) {
        List<String> keys = List.of("");
        for (int i = 0; i < n; i++) {
            List<String> longer = new ArrayList<>(2 * keys.size());
            for (String key : keys) {
                longer.add(key + "Aa");
                longer.add(key + "BB");
            }
            keys = longer;
        }
        return keys;
    }

    @Test
    @Tag("K1")
    void keysThatShareTheirHashCodeAreManyKeysLikeOthers() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().maxIdleGroups(0).build());
        List<String> keys = colliding(17);
        assertThat(keys.getFirst().hashCode()).isEqualTo(keys.getLast().hashCode());
        keys.forEach(executor::pause);

        Set<String> known = Deadline.within(executor::groupKeys);

        assertThat(known).hasSameSizeAs(keys).contains(keys.getFirst(), keys.getLast());
        assertThat(Deadline.within(executor::stats).groups()).isEqualTo(keys.size());
        keys.forEach(executor::resume);
        assertThat(executor.groupKeys()).isEmpty();
    }
}
