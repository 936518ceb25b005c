package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On each way, what recorders hear is what the totals count: of each group, and of all. */
@Tag("E18")
class RecordedWaysTests {

    private static final Callable<String> WORK = () -> "done";
    private static final int KEYS_IN_TURN = 50;
    private static final int POLICIES = Depth.pick(1_000, 10_000, 50_000);

    @RegisterExtension
    final Engines engines = new Engines();

    /** What was told of one group, or counted of it when its recorders were removed. */
    private static final class Tally implements GroupRecorder {
        private final Map<String, Long> told = new TreeMap<>();
        private final Map<String, Long> removed = new TreeMap<>();

        @Override
        public synchronized void completed(TaskStatus status, long nanos) {
            told.merge(status.toString(), 1L, Long::sum);
        }

        @Override
        public synchronized void rejected(RejectionReason reason) {
            told.merge(reason.toString(), 1L, Long::sum);
        }

        @Override
        public synchronized void removed(TaskTotals totals) {
            add(totals, removed);
        }

        private synchronized Map<String, Long> told() {
            return new TreeMap<>(told);
        }

        /** What was counted until it was removed, and since then by the group, if it is there. */
        private synchronized Map<String, Long> counted(GroupExecutor executor, String key) {
            Map<String, Long> counted = new TreeMap<>(removed);
            executor.groupStats(key).ifPresent(group -> add(group.totals(), counted));
            return counted;
        }
    }

    private static void add(TaskTotals totals, Map<String, Long> sums) {
        Map<String, Long> counts = new TreeMap<>();
        counts.put(TaskStatus.SUCCESS.toString(), totals.succeeded());
        counts.put(TaskStatus.FAILED.toString(), totals.failed());
        counts.put(TaskStatus.CANCELLED.toString(), totals.cancelled());
        totals.rejectedByReason().forEach((reason, count) -> counts.put(reason.toString(), count));
        counts.values().removeIf(count -> count == 0);
        counts.forEach((kind, count) -> sums.merge(kind, count, Long::sum));
    }

    private static void assertToldWhatIsCounted(GroupExecutor executor, Map<String, Tally> tallies) {
        Map<String, Long> all = new TreeMap<>();
        tallies.forEach((key, tally) -> {
            assertThat(tally.told()).as("of %s", key).isEqualTo(tally.counted(executor, key));
            tally.told().forEach((kind, count) -> all.merge(kind, count, Long::sum));
        });
        Map<String, Long> totals = new TreeMap<>();
        add(executor.stats().totals(), totals);
        assertThat(all).isEqualTo(totals);
        Map<String, Long> byRule = new TreeMap<>();
        executor.ruleStats().forEach(rule -> add(rule.totals(), byRule));
        assertThat(byRule).isEqualTo(totals);
    }

    @ParameterizedTest
    @EnumSource
    void eachPieceOfWorkIsToldOnceAndAsItIsCounted(Ways way) throws Exception {
        for (boolean heard : new boolean[] {false, true}) {
            Map<String, Tally> tallies = new ConcurrentHashMap<>();
            GroupPolicy policy = Workload.policy()
                    .maxIdleGroups(1)
                    .recorderFactory((key, rule) -> tallies.computeIfAbsent(key, unknown -> new Tally()))
                    .build();
            GroupExecutor executor = heard ? engines.start(policy) : engines.startPlain(policy);
            Site site = heard ? new Workload(engines, executor) : new Site(executor);

            Deadline.within(() -> {
                way.take(site);
                return null;
            });
            site.end();

            assertThat(tallies).isNotEmpty();
            Deadline.untilAsserted(() -> assertToldWhatIsCounted(executor, tallies));
        }
    }

    @Test
    @Tag("E10")
    @Tag("E16")
    void eachRecorderIsRemovedOnceWhileGroupsAndPoliciesComeAndGo() throws Exception {
        LongAdder made = new LongAdder();
        LongAdder removed = new LongAdder();
        GroupPolicy without = GroupPolicy.builder().maxIdleGroups(0).build();
        GroupPolicy with = without.toBuilder()
                .recorderFactory((key, rule) -> {
                    made.increment();
                    return new GroupRecorder() {
                        @Override
                        public void removed(TaskTotals totals) {
                            removed.increment();
                        }
                    };
                })
                .build();
        GroupExecutor executor = engines.startPlain(without);
        AtomicBoolean over = new AtomicBoolean();
        List<Caller<Boolean>> callers = Stream.generate(() -> Caller.startPlatform(() -> {
                    for (int i = 0; !over.get(); i++) {
                        executor.call("key " + i % KEYS_IN_TURN, WORK);
                    }
                    return true;
                }))
                .limit(3)
                .toList();

        try {
            Deadline.within(() -> {
                for (int i = 0; i < POLICIES || made.sum() == 0; i++) { // the callers may begin late
                    executor.updatePolicy(i % 2 == 0 ? with : without);
                }
                return null;
            });
        } finally {
            over.set(true);
        }
        for (Caller<Boolean> caller : callers) {
            assertThat(caller.result()).isTrue();
        }

        assertThat(executor.groupKeys()).isEmpty();
        assertThat(made.sum()).isPositive();
        Deadline.untilAsserted(() -> assertThat(removed.sum()).isEqualTo(made.sum()));
    }

    @Test
    void aCallThatIsRecordedMakesNoObject() throws Exception {
        LongAdder nanosOfAll = new LongAdder();
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .recorderFactory((key, rule) -> new GroupRecorder() {
                    @Override
                    public void completed(TaskStatus status, long nanos) {
                        nanosOfAll.add(nanos);
                    }
                })
                .build());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int calls = 1_000;
        long bytes = Caller.startPlatform(() -> {
                    executor.call("a", WORK); // makes its hold
                    executor.call("a", WORK); // and links what is called for one that is kept
                    long before = threads.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < calls; i++) {
                        executor.call("a", WORK);
                    }
                    return threads.getCurrentThreadAllocatedBytes() - before;
                })
                .result();

        assertThat(bytes / calls).isZero();
        assertThat(nanosOfAll.sum()).isPositive();
    }
}
