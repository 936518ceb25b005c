package io.github.kobe.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.ScopeSettings;
import io.github.kobe.scope.Scopes;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No critical section grows with the number of groups, alarms or nodes: {@link SectionSteps} counts what one passes while
 * there are more of them than it may pass. Not played are cancelled nodes, which are swept out of a queue once they are half
 * of it (G35).
 */
@Tag("deep")
@Tag("E17")
class SectionsTests {

    private static final int MANY = SectionSteps.MOST + 4_000;

    @ParameterizedTest
    @ValueSource(
            classes = {
                AWaitForQuiet.class,
                AFirstLimit.class,
                AShutdownOfGroups.class,
                ADrain.class,
                TimeoutsOfTasks.class,
                ASmallerIdleList.class,
                AnIdleSweep.class,
                AShutdownOfTasks.class,
                ARaisedLimit.class,
                TheCloseOfAView.class,
                AScopeOverGroups.class,
                AScopeUnderAGlobalLimit.class
            })
    void noCriticalSectionGrowsWithWhatThereIs(Class<? extends Play> play) {
        Supplier<?> played = new EngineLoader(SectionSteps::new).newInstance(Supplier.class, play);

        assertThat(played.get())
                .as("places passed more than %,d times in a section", SectionSteps.MOST)
                .hasToString("{}");
    }

    /** What is played, in the world of an engine that counts. */
    abstract static class Play implements Supplier<Map<String, Integer>> {
        private final CountDownLatch gate = new CountDownLatch(1);

        @Override
        public final Map<String, Integer> get() {
            try (GroupExecutor executor = start()) {
                play(executor);
                gate.countDown();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return SectionSteps.exceeded();
        }

        GroupExecutor start() {
            return GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().maxIdleGroups(2 * MANY).build());
        }

        abstract void play(GroupExecutor executor) throws Exception;

        final void useMany(GroupExecutor executor) throws Exception {
            for (int i = 0; i < MANY; i++) {
                executor.call("group-" + i, () -> "done");
            }
        }

        /** Submits many tasks to one group, in which one holds the only permit until the end. */
        final List<TaskHandle<String>> queueMany(GroupExecutor executor, Duration timeout) {
            executor.submit("group", () -> {
                gate.await();
                return "held";
            });
            List<TaskHandle<String>> handles = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                handles.add(executor.submit(new GroupTask<>("group", "1", () -> "done").withQueueTimeout(timeout)));
            }
            return handles;
        }
    }

    static final class AWaitForQuiet extends Play {
        @Override
        void play(GroupExecutor executor) throws Exception {
            useMany(executor);
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        }
    }

    static final class AFirstLimit extends Play {
        @Override
        void play(GroupExecutor executor) throws Exception {
            useMany(executor);
            executor.updatePolicy(
                    executor.policy().toBuilder().globalMaxInFlight(10).build());
        }
    }

    static final class AShutdownOfGroups extends Play {
        @Override
        void play(GroupExecutor executor) throws Exception {
            useMany(executor);
            executor.shutdown();
            assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        }
    }

    static final class ADrain extends Play {
        @Override
        void play(GroupExecutor executor) throws Exception {
            useMany(executor);
            assertThat(executor.shutdown(Deadline.LONG)).isTrue();
        }
    }

    static final class TimeoutsOfTasks extends Play {
        @Override
        void play(GroupExecutor executor) {
            List<TaskHandle<String>> handles = queueMany(executor, Duration.ofHours(1));
            executor.setLimits("group", GroupLimits.unset().withMaxConcurrency(2));
            handles.forEach(TaskHandle::join);
            queueMany(executor, Duration.ofHours(1));
        }
    }

    static final class ASmallerIdleList extends Play {
        @Override
        void play(GroupExecutor executor) throws Exception {
            useMany(executor);
            executor.updatePolicy(
                    executor.policy().toBuilder().maxIdleGroups(10).build());
            Deadline.until("the list is smaller", () -> executor.groupKeys().size() <= 10);
        }
    }

    static final class AnIdleSweep extends Play {
        private final ManualClock clock = new ManualClock();

        @Override
        GroupExecutor start() {
            return EngineAccess.newExecutor(
                    GroupPolicy.builder().maxIdleGroups(2 * MANY).build(),
                    new Surroundings(clock, TaskThreads.VIRTUAL, false));
        }

        @Override
        void play(GroupExecutor executor) throws Exception {
            useMany(executor);
            clock.advance(Duration.ofHours(1));
            EngineAccess.runDue(executor); // forgets which of them were used again
            clock.advance(Duration.ofHours(1));
            EngineAccess.runDue(executor);
            assertThat(executor.groupKeys()).isEmpty();
        }
    }

    static final class AShutdownOfTasks extends Play {
        @Override
        void play(GroupExecutor executor) throws Exception {
            queueMany(executor, GroupLimits.NO_TIMEOUT);
            executor.shutdown();
            assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        }
    }

    static final class ARaisedLimit extends Play {
        @Override
        void play(GroupExecutor executor) {
            List<TaskHandle<String>> handles = queueMany(executor, GroupLimits.NO_TIMEOUT);
            executor.setLimits("group", GroupLimits.unset().withMaxConcurrency(2 * MANY));
            handles.forEach(TaskHandle::join);
        }
    }

    /** By a thread that lends to what it waits for. */
    static final class TheCloseOfAView extends Play {
        @Override
        void play(GroupExecutor executor) throws Exception {
            executor.call("group", () -> {
                ExecutorService view = executor.asExecutorService("group");
                for (int i = 0; i < MANY; i++) {
                    view.execute(() -> {});
                }
                view.close();
                return "closed";
            });
        }
    }

    static class AScopeOverGroups extends Play {
        @Override
        final void play(GroupExecutor executor) throws Exception {
            executor.call("owner", () -> {
                try (GroupScope<Object, Void, ExecutionException> scope =
                        Scopes.of(executor).open(ScopeSettings::withoutTimeout)) {
                    for (int i = 0; i < MANY; i++) {
                        scope.fork("group-" + i, () -> "done");
                    }
                    scope.join();
                }
                return "joined";
            });
        }
    }

    /** Whose forks run one by one on the global permit of its owner. */
    static final class AScopeUnderAGlobalLimit extends AScopeOverGroups {
        @Override
        GroupExecutor start() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                    .maxIdleGroups(2 * MANY)
                    .globalMaxInFlight(1)
                    .build());
        }
    }
}
