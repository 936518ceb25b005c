package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the log is told of groups that refuse work, and of groups that stand still. */
@Tag("E20")
class WarningsTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final CapturedLog log = CapturedLog.open();
    private final ManualClock clock = new ManualClock();
    private final List<Thread> reports = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();

    private final Surroundings surroundings = new Surroundings(
            clock,
            (name, work) -> {
                Thread thread = TaskThreads.VIRTUAL.unstarted(name, work);
                if (name.equals("group-concurrency-report")) {
                    reports.add(thread);
                }
                return thread;
            },
            false);

    @AfterEach
    void close() {
        log.close();
    }

    private GroupExecutor start(GroupPolicy.Builder policy) {
        return engines.startPlain(policy.warnInterval(MINUTE).build(), surroundings);
    }

    private void aMinuteLater(GroupExecutor executor) {
        clock.advance(MINUTE, executor);
        for (Thread thread : reports) {
            Deadline.until("the report has ended", () -> thread.getState() == Thread.State.TERMINATED);
        }
        reports.clear();
    }

    /** Has a group refuse something so many times. */
    private static void refuse(GroupExecutor executor, String key, int times) {
        executor.setLimits(key, GroupLimits.unset().withQueueThreshold(0));
        executor.pause(key);
        submitInVain(executor, key, times);
        executor.resume(key);
    }

    private static void submitInVain(GroupExecutor executor, String key, int times) {
        for (int i = 0; i < times; i++) {
            try {
                executor.submit(key, "refused", () -> "never").join();
                throw new AssertionError("it was let in");
            } catch (RejectedTaskException refused) {
                // as wanted
            }
        }
    }

    /** Waits until no group is there, and what they have refused is counted by their rules. */
    private static void awaitForgotten(GroupExecutor executor, long refused) {
        Deadline.until(
                "all is forgotten",
                () -> executor.groupKeys().isEmpty()
                        && executor.stats().totals().rejectedByReason().get(RejectionReason.GROUP_QUEUE_FULL)
                                == refused);
    }

    @Test
    void eachGroupThatHasRefusedSomethingIsToldOnceAnInterval() {
        GroupExecutor executor = start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(3));
        refuse(executor, "tenant:\na", 5);
        assertThat(log.warnings()).isEmpty();

        aMinuteLater(executor);

        assertThat(log.warnings())
                .containsExactly("Group 'tenant:_a' has refused 5 in the last 60 s (GROUP_QUEUE_FULL 5). Its"
                        + " maxConcurrency is 3, its queueThreshold 0; now 0 run and 0 wait.");
        aMinuteLater(executor);
        assertThat(log.warnings()).as("nothing more was refused").hasSize(1);
        refuse(executor, "tenant:\na", 2);
        aMinuteLater(executor);
        assertThat(log.warnings()).hasSize(2).last().asString().contains("has refused 2 in");
    }

    @Test
    void whatCameTooLateIsToldWithWhatWasRefused() {
        GroupExecutor executor = start(GroupPolicy.builder());
        executor.rejectLate("a", "late");

        aMinuteLater(executor);

        assertThat(log.warnings())
                .singleElement()
                .asString()
                .startsWith("Group 'a' has refused 1 in the last 60 s (QUEUE_TIMEOUT 1).");
    }

    @Test
    void theTwentyThatRefuseMostAreNamed() {
        GroupExecutor executor = start(GroupPolicy.builder());
        for (int i = 1; i <= 25; i++) {
            refuse(executor, "g" + i, i);
        }

        aMinuteLater(executor);

        assertThat(log.warnings()).hasSize(21).first().asString().contains("'g25' has refused 25");
        assertThat(log.warnings().getLast()).isEqualTo("5 other groups have refused 15 in the last 60 s.");
    }

    @Test
    void whatGroupsHaveRefusedThatAreForgottenIsToldOnce() {
        GroupExecutor executor = start(GroupPolicy.builder().maxIdleGroups(0).defaultQueueThresholdPerGroup(0));
        executor.submit("a", "held", gate.then("done"));
        gate.awaitArrived(1);
        submitInVain(executor, "a", 3);
        gate.open();
        awaitForgotten(executor, 3);

        aMinuteLater(executor);

        assertThat(log.warnings())
                .containsExactly("Groups that were forgotten meanwhile have refused 3 (GROUP_QUEUE_FULL 3).");
        executor.pause("b");
        aMinuteLater(executor);
        assertThat(log.warnings()).as("nothing more was refused").hasSize(1);
        executor.resume("b");
    }

    @Test
    void whatWasToldOfAGroupIsNotToldAgainOnceItIsForgotten() {
        GroupExecutor executor = start(GroupPolicy.builder().maxIdleGroups(0).defaultQueueThresholdPerGroup(0));
        executor.submit("a", "held", gate.then("done"));
        gate.awaitArrived(1);
        submitInVain(executor, "a", 3);
        aMinuteLater(executor);
        submitInVain(executor, "a", 1);
        gate.open();
        awaitForgotten(executor, 4);

        aMinuteLater(executor);

        assertThat(log.warnings())
                .hasSize(2)
                .last()
                .isEqualTo("Groups that were forgotten meanwhile have refused 1 (GROUP_QUEUE_FULL 1).");
    }

    @Test
    void aGroupThatIsEvictedWhileItIsInUseBeginsAnew() {
        GroupExecutor executor = start(GroupPolicy.builder().defaultQueueThresholdPerGroup(0));
        executor.submit("a", "held", gate.then("done"));
        gate.awaitArrived(1);
        submitInVain(executor, "a", 5);
        aMinuteLater(executor);
        executor.evictGroup("a");
        submitInVain(executor, "a", 2);

        aMinuteLater(executor);

        assertThat(log.warnings()).hasSize(2).last().asString().contains("'a' has refused 2 in");
        gate.open();
    }

    @Tag("SH8")
    @Test
    void moreThanThereIsGuaranteedToTheGroupsInUseIsToldOnce() {
        GroupExecutor executor = start(GroupPolicy.builder()
                .globalMaxInFlight(6)
                .globalHeadroom(1)
                .pattern("rule:*", GroupLimits.unset().withMaxConcurrency(1).withGuaranteed(1))
                .group("own", GroupLimits.unset().withMaxInFlight(9).withGuaranteed(2)));
        executor.submit("own", "1", gate.then("done"));
        executor.submit("rule:1", "1", gate.then("done"));
        executor.submit("rule:2", "1", gate.then("done"));
        executor.submit("rule:3", "1", gate.then("done"));
        aMinuteLater(executor);
        assertThat(log.warnings()).as("five of five").isEmpty();

        executor.setLimits("own", GroupLimits.unset().withGuaranteed(3));
        aMinuteLater(executor);
        aMinuteLater(executor);

        assertThat(log.warnings())
                .singleElement()
                .asString()
                .startsWith("The groups in use are guaranteed 6 permits together (3 by their own names, 3 by rules), of"
                        + " 5 (globalMaxInFlight 6, globalHeadroom 1).");
        executor.pause("rule:3");
        executor.updatePolicy(executor.policy().toBuilder().maxIdleGroups(5).build());
        aMinuteLater(executor);
        assertThat(log.warnings()).as("a paused group claims nothing").hasSize(1);
        executor.resume("rule:3");
        aMinuteLater(executor);
        assertThat(log.warnings()).as("under another policy").hasSize(2);
        gate.open();
    }

    @Test
    void aGroupWhoseHolderWaitsForItsOwnWorkIsToldWithWhatTheHolderIsAt() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        Caller<String> holder = Caller.start(() -> executor.call("tenant", this::waitsForItsOwnGroup));
        gate.awaitArrived(1);
        TaskHandle<String> waits = executor.submit("tenant", "waits", () -> "done");

        aMinuteLater(executor);
        assertThat(log.warnings()).as("it may have begun to wait just now").isEmpty();
        aMinuteLater(executor);

        assertThat(log.warnings())
                .singleElement()
                .asString()
                .contains("Group 'tenant' stands still: 1 wait, and for 60 s nothing of it has started or ended.")
                .contains("held by thread on thread '")
                .contains("WarningsTests.waitsForItsOwnGroup")
                .doesNotContain("java.util.concurrent", "io.github.kobe.internal");
        aMinuteLater(executor);
        assertThat(log.warnings()).as("once").hasSize(1);
        gate.open();
        holder.result();
        waits.join();
    }

    @Test
    void aGroupThatStandsStillIsToldThoughItRefusesWhatStillComes() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().defaultQueueThresholdPerGroup(1));
        Caller<String> holder = Caller.start(() -> executor.call("tenant", this::waitsForItsOwnGroup));
        gate.awaitArrived(1);
        TaskHandle<String> waits = executor.submit("tenant", "waits", () -> "done");

        for (int minute = 0; minute < 3; minute++) {
            assertThat(executor.tryAcquire("tenant", Duration.ZERO)).isEmpty();
            aMinuteLater(executor);
        }

        assertThat(log.warnings())
                .filteredOn(text -> text.contains("stands still"))
                .singleElement()
                .asString()
                .contains("WarningsTests.waitsForItsOwnGroup");
        gate.open();
        holder.result();
        waits.join();
    }

    private String waitsForItsOwnGroup() throws InterruptedException {
        gate.pass();
        return "done";
    }

    @Test
    void aGroupThatLacksGlobalPermitsOnlyIsToldSo() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().globalMaxInFlight(1));
        Caller<String> other = Caller.start(() -> executor.call("other", gate.then("held")));
        gate.awaitArrived(1);
        TaskHandle<String> waits = executor.submit("tenant", "waits", () -> "done");

        aMinuteLater(executor);
        aMinuteLater(executor);

        assertThat(log.warnings())
                .singleElement()
                .asString()
                .contains("'tenant' stands still", "those over all groups are used up by others (it waits for CAP).");
        gate.open();
        other.result();
        waits.join();
    }

    @Test
    void whatIsPausedOrHasATimeOutOrGoesOnDoesNotStandStill() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .group("timed", GroupLimits.unset().withQueueTimeout(Duration.ofDays(1)))
                .group("wide", GroupLimits.unset().withMaxConcurrency(2)));
        executor.pause("paused");
        executor.pause("timed");
        executor.submit("paused", "1", () -> "done");
        executor.resume("timed");
        executor.submit("timed", "1", gate.then("held"));
        executor.submit("timed", "2", () -> "done");
        executor.submit("wide", "1", gate.then("held"));
        executor.submit("wide", "2", gate.then("held"));
        gate.awaitArrived(3);
        executor.submit("wide", "3", () -> "done");
        aMinuteLater(executor);
        executor.setLimits("wide", GroupLimits.unset().withMaxConcurrency(3));
        executor.submit("wide", "4", gate.then("held"));
        gate.awaitArrived(4);
        executor.submit("wide", "5", () -> "done");
        aMinuteLater(executor);

        assertThat(log.warnings()).isEmpty();
        gate.open();
        executor.resume("paused");
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
    }

    @Test
    void withoutAnIntervalNothingIsTold() {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build(), surroundings);
        refuse(executor, "g", 5);

        aMinuteLater(executor);

        assertThat(log.warnings()).isEmpty();
    }
}
