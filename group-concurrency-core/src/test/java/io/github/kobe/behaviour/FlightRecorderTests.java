package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.Rate;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real recording has of work in groups. */
class FlightRecorderTests {

    private static final List<String> NAMES = Stream.of("Queued", "Started", "Completed", "Rejected")
            .map(event -> "io.github.kobe.Task" + event)
            .toList();

    @TempDir
    Path folder;

    /** Work for a recording. */
    private interface Work {
        void on(GroupExecutor executor) throws Exception;
    }

    private List<RecordedEvent> record(List<String> enabled, Work work) throws Exception {
        Path file = folder.resolve("work.jfr");
        GroupPolicy policy =
                GroupPolicy.builder().defaultQueueThresholdPerGroup(1).build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy);
                Recording recording = new Recording()) {
            enabled.forEach(recording::enable);
            recording.start();
            work.on(executor);
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
            // The trace hears when the permits are back, so the last event may come after quiet.
            executor.shutdown();
            assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> NAMES.contains(event.getEventType().getName()))
                .toList();
    }

    private static List<String> names(List<RecordedEvent> events) {
        return events.stream()
                .map(event -> event.getEventType().getName().substring("io.github.kobe.Task".length()))
                .toList();
    }

    private static RecordedEvent only(List<RecordedEvent> events, String name) {
        List<RecordedEvent> found = events.stream()
                .filter(event -> event.getEventType().getName().endsWith(name))
                .toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    @Test
    void aTaskThatStartsAtOnceIsStartedAndCompleted() throws Exception {
        List<RecordedEvent> events = record(
                NAMES, executor -> executor.submit("a\nb", "1", () -> "done").await());

        assertThat(names(events)).containsExactlyInAnyOrder("Started", "Completed");
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("groupKey")).isEqualTo("a\nb");
            assertThat(event.getString("taskId")).isEqualTo("1");
        });
        assertThat(only(events, "Started").getDuration("queuedFor")).isZero();
        assertThat(only(events, "Completed").getString("outcome")).isEqualTo("success");
        assertThat(only(events, "Completed").getString("exception")).isEmpty();
    }

    @Test
    void aTaskThatWaitsIsQueuedForAsLongAsItDoes() throws Exception {
        List<RecordedEvent> events = record(NAMES, executor -> {
            Gate gate = new Gate();
            TaskHandle<String> first = executor.submit("a", "first", () -> {
                gate.pass();
                return "done";
            });
            TaskHandle<String> second = executor.submit("a", "second", () -> "done");
            gate.open();
            first.await();
            second.await();
        });

        RecordedEvent queued = only(events, "Queued");
        assertThat(queued.getString("taskId")).isEqualTo("second");
        RecordedEvent started = events.stream()
                .filter(event -> event.getEventType().getName().endsWith("Started")
                        && event.getString("taskId").equals("second"))
                .findFirst()
                .orElseThrow();
        assertThat(started.getDuration("queuedFor")).isPositive();
        assertThat(queued.getDuration()).isGreaterThanOrEqualTo(started.getDuration("queuedFor"));
    }

    @Test
    void aTaskThatFailsTellsWhatItHasThrown() throws Exception {
        List<RecordedEvent> events = record(
                NAMES,
                executor -> executor.submit("a", "1", () -> {
                            throw new IOException("disk");
                        })
                        .await());

        assertThat(only(events, "Completed").getString("outcome")).isEqualTo("failed");
        assertThat(only(events, "Completed").getString("exception")).isEqualTo("java.io.IOException");
    }

    @Test
    void aTaskThatIsCancelledInTheQueueIsQueuedAndCompletedAndNeverStarted() throws Exception {
        List<RecordedEvent> events = record(NAMES, executor -> {
            executor.pause("a");
            executor.submit("a", "1", () -> "never").cancel(true);
        });

        assertThat(names(events)).containsExactlyInAnyOrder("Queued", "Completed");
        assertThat(only(events, "Completed").getString("outcome")).isEqualTo("cancelled");
    }

    @Test
    void whatIsNotLetInTellsWhy() throws Exception {
        List<RecordedEvent> events = record(NAMES, executor -> {
            executor.pause("a");
            TaskHandle<String> queued = executor.submit("a", "1", () -> "never");
            executor.submit("a", "2", () -> "never");
            queued.cancel(true);
        });

        assertThat(only(events, "Rejected").getString("reason")).isEqualTo("group_queue_full");
        assertThat(only(events, "Rejected").getString("taskId")).isEqualTo("2");
    }

    @Test
    void whatWaitedTooLongIsQueuedAndRejected() throws Exception {
        List<RecordedEvent> events = record(NAMES, executor -> {
            executor.pause("a");
            try {
                executor.call("a", Duration.ofMillis(1), () -> "never");
            } catch (RejectedTaskException expected) {
                assertThat(expected.groupKey()).isEqualTo("a");
            }
        });

        assertThat(names(events)).containsExactlyInAnyOrder("Queued", "Rejected");
        assertThat(only(events, "Rejected").getString("reason")).isEqualTo("queue_timeout");
    }

    @Test
    void whatWaitedUntilALimitLetItStartNoMoreIsQueuedAndRejected() throws Exception {
        Rate tokens = Rate.of(109, Duration.ofDays(1)).withBurst(10).named("tokens");
        Rate fewer = Rate.of(59, Duration.ofDays(1)).withBurst(10).named("tokens");
        List<RecordedEvent> events = record(NAMES, executor -> {
            executor.setLimits("a", GroupLimits.unset().withRate(tokens));
            executor.call("a", Costs.of("tokens", 10), () -> "done");
            TaskHandle<String> costly =
                    executor.submit(new GroupTask<>("a", "costly", () -> "never").withCost("tokens", 60));
            executor.setLimits("a", GroupLimits.unset().withRate(fewer));
            assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(costly::await);
        });

        assertThat(names(events)).containsExactlyInAnyOrder("Started", "Completed", "Queued", "Rejected");
        assertThat(only(events, "Queued").getString("taskId")).isEqualTo("costly");
        assertThat(only(events, "Rejected").getString("reason")).isEqualTo("rate_limited");
    }

    @Test
    void callsAndPermitsAreRecordedToo() throws Exception {
        List<RecordedEvent> events = record(NAMES, executor -> {
            executor.call("a", () -> "done");
            GroupPermit permit = executor.acquire("b");
            permit.close();
        });

        assertThat(names(events)).containsExactlyInAnyOrder("Started", "Completed", "Started", "Completed");
    }

    @Test
    void onlyWhatTheRecordingAsksForIsRecorded() throws Exception {
        Work work = executor -> executor.submit("a", "1", () -> "done").await();

        assertThat(names(record(List.of("io.github.kobe.TaskStarted"), work))).containsExactly("Started");
        assertThat(record(List.of(), work)).isEmpty();
    }

    @Test
    void aRecordingThatRunsAlreadyIsSeen() throws Exception {
        GroupPolicy policy = GroupPolicy.builder().build();
        Path file = folder.resolve("before.jfr");
        try (Recording recording = new Recording()) {
            NAMES.forEach(recording::enable);
            recording.start();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
                executor.call("a", () -> "done");
            }
            recording.stop();
            recording.dump(file);
        }

        assertThat(names(RecordingFile.readAllEvents(file))).contains("Started", "Completed");
    }

    @Test
    void tracersOfTheApplicationAreAskedBesideTheRecorder() throws Exception {
        List<String> traced = new CopyOnWriteArrayList<>();
        GroupPolicy policy = GroupPolicy.builder()
                .addTaskTracer((groupKey, taskId) -> {
                    traced.add(groupKey);
                    return null;
                })
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            executor.call("a", () -> "done");
        }

        assertThat(traced).containsExactly("a");
        assertThat(policy.taskTracers()).hasSize(1);
    }

    @Test
    void allEventsAreOffByDefaultAndDescribed() throws Exception {
        record(NAMES, executor -> executor.call("a", () -> "done"));
        assertThat(FlightRecorder.getFlightRecorder().getEventTypes())
                .filteredOn(type -> type.getName().startsWith("io.github.kobe."))
                .isNotEmpty()
                .allSatisfy(type -> {
                    assertThat(NAMES).contains(type.getName());
                    assertThat(type.getLabel()).isNotBlank();
                    assertThat(type.getDescription()).isNotBlank();
                    assertThat(type.getCategoryNames()).containsExactly("Group Concurrency");
                    assertThat(type.getSettingDescriptors())
                            .filteredOn(setting -> setting.getName().equals("enabled"))
                            .allSatisfy(setting ->
                                    assertThat(setting.getDefaultValue()).isEqualTo("false"));
                });
    }

    @Test
    void aJvmWithoutTheFlightRecorderDoesWithoutIt() throws Exception {
        assertThat(runOneTask("--limit-modules=java.base")).endsWith("done\n");
    }

    @Test
    void asLongAsNobodyRecordsNothingOfTheRecorderIsLoadedButItsFlag() throws Exception {
        assertThat(runOneTask("-Xlog:class+load:stdout").lines().filter(line -> line.contains(" jdk.jfr.")))
                .hasSizeLessThanOrEqualTo(2)
                .allMatch(line -> line.contains("FlightRecorder"));
        assertThat(runOneTask("-Xlog:class+load:stdout"))
                .contains("FlightRecorderTracer")
                .doesNotContain("QueuedEvent");
    }

    private static String runOneTask(String option) throws Exception {
        return ChildProcess.java(
                        List.of(option),
                        ChildProcess.classPath(GroupExecutor.class, OneTask.class),
                        OneTask.class,
                        List.of())
                .succeed(Deadline.LONG);
    }

    /** A program in plain Java. */
    static final class OneTask {
        public static void main(String[] arguments) throws Exception {
            try (GroupExecutor executor =
                    GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
                System.out.println(executor.call("a", () -> "done"));
            }
        }
    }
}
