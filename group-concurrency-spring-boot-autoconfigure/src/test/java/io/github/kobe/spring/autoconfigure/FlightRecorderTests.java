package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskTracer;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What a real recording has of work in groups. */
class FlightRecorderTests {

    private static final List<String> NAMES = Stream.of("Queued", "Started", "Completed", "Rejected")
            .map(event -> "io.github.kobe.Task" + event)
            .toList();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class));

    @TempDir
    Path folder;

    /** Work for a recording. */
    private interface Work {
        void on(GroupExecutor executor) throws Exception;
    }

    private List<RecordedEvent> record(List<String> enabled, Work work) {
        Path file = folder.resolve("work.jfr");
        runner.withPropertyValues("group-concurrency.defaults.queue-threshold=1")
                .run(context -> {
                    try (Recording recording = new Recording()) {
                        enabled.forEach(recording::enable);
                        recording.start();
                        GroupExecutor executor = context.getBean(GroupExecutor.class);
                        work.on(executor);
                        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
                        // The listener hears when the permits are back, so the last event may come after quiet.
                        executor.shutdown();
                        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
                        recording.stop();
                        recording.dump(file);
                    }
                });
        try {
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> NAMES.contains(event.getEventType().getName()))
                    .toList();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
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
    void aTaskThatStartsAtOnceIsStartedAndCompleted() {
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
    void aTaskThatWaitsIsQueuedForAsLongAsItDoes() {
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
    void aTaskThatFailsTellsWhatItHasThrown() {
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
    void aTaskThatIsCancelledInTheQueueIsQueuedAndCompletedAndNeverStarted() {
        List<RecordedEvent> events = record(NAMES, executor -> {
            executor.pause("a");
            executor.submit("a", "1", () -> "never").cancel(true);
        });

        assertThat(names(events)).containsExactlyInAnyOrder("Queued", "Completed");
        assertThat(only(events, "Completed").getString("outcome")).isEqualTo("cancelled");
    }

    @Test
    void whatIsNotLetInTellsWhy() {
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
    void whatWaitedTooLongIsQueuedAndRejected() {
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
    void callsAndPermitsAreRecordedToo() {
        List<RecordedEvent> events = record(NAMES, executor -> {
            executor.call("a", () -> "done");
            GroupPermit permit = executor.acquire("b");
            permit.close();
        });

        assertThat(names(events)).containsExactlyInAnyOrder("Started", "Completed", "Started", "Completed");
    }

    @Test
    void onlyWhatTheRecordingAsksForIsRecorded() {
        Work work = executor -> executor.submit("a", "1", () -> "done").await();

        assertThat(names(record(List.of("io.github.kobe.TaskStarted"), work))).containsExactly("Started");
        assertThat(record(List.of(), work)).isEmpty();
    }

    @Test
    void theTracerIsOnWhileARecordingRuns() {
        runner.run(context -> {
            TaskTracer tracer = context.getBean(FlightRecorderTracer.class);
            Deadline.until("no recording of another test runs", () -> !tracer.isOn());
            try (Recording first = new Recording();
                    Recording second = new Recording()) {
                first.start();
                assertThat(tracer.isOn()).isTrue();
                assertThat(tracer.trace("a", "1"))
                        .as("for one that asks for none of ours")
                        .isNull();
                second.start();
                first.stop();
                assertThat(tracer.isOn()).isTrue();
                second.stop();
                assertThat(tracer.isOn()).isFalse();
                assertThat(context.getBean(GroupExecutor.class).policy().taskTracers())
                        .contains(tracer);
            }
        });
    }

    @Test
    void aRecordingThatRunsAlreadyIsSeen() {
        try (Recording recording = new Recording()) {
            recording.start();
            runner.run(context -> {
                TaskTracer tracer = context.getBean(FlightRecorderTracer.class);
                assertThat(tracer.isOn()).isTrue();
                context.close();
                assertThat(tracer.isOn()).isFalse();
            });
        }
    }

    @Test
    void allEventsAreOffByDefaultAndDescribed() throws Exception {
        for (Class<? extends Event> event :
                List.of(QueuedEvent.class, StartedEvent.class, CompletedEvent.class, RejectedEvent.class)) {
            FlightRecorder.register(event);
        }
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
    void aJvmWithoutTheFlightRecorderDoesWithoutIt() {
        runner.withClassLoader(new FilteredClassLoader(Event.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(FlightRecorderTracer.class));
    }
}
