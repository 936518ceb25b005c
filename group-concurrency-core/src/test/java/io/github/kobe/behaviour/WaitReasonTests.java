package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RuleStats;
import io.github.kobe.WaitReason;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("SH16")
class WaitReasonTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    @AfterEach
    void letAllEnd() {
        gate.open();
    }

    private static GroupPolicy.Builder policy() {
        return GroupPolicy.builder().defaultMaxConcurrencyPerGroup(10);
    }

    private void submit(GroupExecutor executor, String key, int tasks) {
        for (int i = 0; i < tasks; i++) {
            executor.submit(key, String.valueOf(i), gate.then("done"));
        }
    }

    private static GroupStats stats(GroupExecutor executor, String key) {
        return executor.groupStats(key).orElseThrow();
    }

    private static Optional<WaitReason> waitsFor(GroupExecutor executor, String key) {
        return stats(executor, key).waitsFor();
    }

    @Test
    void whatDoesNotWaitWaitsForNothing() {
        GroupExecutor executor =
                engines.start(policy().globalMaxInFlight(3).globalHeadroom(1).build());
        submit(executor, "a", 2);

        assertThat(waitsFor(executor, "a")).isEmpty();
        assertThat(executor.stats().globalHeadroom()).isEqualTo(1);
    }

    @Test
    void headroomWithoutALimitIsNone() {
        assertThat(engines.start(policy().globalHeadroom(5).build()).stats().globalHeadroom())
                .isZero();
    }

    @Test
    void aPausedGroupWaitsToBeResumedWhateverElseItLacks() {
        GroupExecutor executor = engines.start(policy().globalMaxInFlight(1).build());
        submit(executor, "a", 2);
        executor.pause("a");

        assertThat(waitsFor(executor, "a")).contains(WaitReason.PAUSED);

        executor.resume("a");

        assertThat(waitsFor(executor, "a")).contains(WaitReason.CAP);
    }

    @Test
    void aGroupAtItsOwnLimitWaitsForThatWhateverElseIsShort() {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .globalMaxInFlight(2)
                .group("b", GroupLimits.unset().withMaxConcurrency(1).withGuaranteed(1))
                .build());
        submit(executor, "b", 2);
        submit(executor, "a", 2);

        assertThat(waitsFor(executor, "a")).contains(WaitReason.GROUP_LIMIT);
        assertThat(waitsFor(executor, "b")).contains(WaitReason.GROUP_LIMIT);
    }

    @Test
    void whoMayNotTakeTheHeadroomWaitsForIt() {
        GroupExecutor executor =
                engines.start(policy().globalMaxInFlight(3).globalHeadroom(1).build());
        submit(executor, "a", 3);

        assertThat(stats(executor, "a").held()).isEqualTo(2);
        assertThat(stats(executor, "a").level()).isEqualTo(2);
        assertThat(waitsFor(executor, "a")).contains(WaitReason.HEADROOM);

        submit(executor, "b", 2);

        assertThat(waitsFor(executor, "a")).contains(WaitReason.CAP);
        assertThat(waitsFor(executor, "b")).contains(WaitReason.CAP);
    }

    @Test
    void whoIsBelowAGuaranteeOfTheSameClassOrABetterOneComesFirst() {
        GroupExecutor executor = engines.start(policy().globalMaxInFlight(2)
                .group("own", GroupLimits.unset().withGuaranteed(1))
                .pattern("rule:*", GroupLimits.unset().withGuaranteed(1))
                .build());
        submit(executor, "plain", 3);
        assertThat(waitsFor(executor, "plain")).contains(WaitReason.CAP);

        submit(executor, "rule:1", 1);
        assertThat(waitsFor(executor, "plain")).contains(WaitReason.OTHERS_GUARANTEE);
        assertThat(waitsFor(executor, "rule:1")).contains(WaitReason.CAP);

        submit(executor, "rule:2", 1);
        assertThat(waitsFor(executor, "rule:1")).contains(WaitReason.OTHERS_GUARANTEE);
        assertThat(waitsFor(executor, "rule:2")).contains(WaitReason.OTHERS_GUARANTEE);

        submit(executor, "own", 1);
        assertThat(waitsFor(executor, "own")).contains(WaitReason.CAP);
        assertThat(stats(executor, "own").level()).isEqualTo(-1);
        assertThat(stats(executor, "plain").level()).isEqualTo(2);
    }

    @Test
    void groupsBelowGuaranteesOfOneKindWaitForEachOther() {
        GroupExecutor executor = engines.start(policy().globalMaxInFlight(3)
                .pattern("rule:*", GroupLimits.unset().withGuaranteed(5))
                .build());
        submit(executor, "rule:1", 4);
        submit(executor, "rule:2", 1);

        assertThat(waitsFor(executor, "rule:1")).contains(WaitReason.OTHERS_GUARANTEE);
        assertThat(waitsFor(executor, "rule:2")).contains(WaitReason.OTHERS_GUARANTEE);
    }

    @Test
    void aLevelIsWhatIsHeldBeyondTheGuaranteeForTheWeight() {
        GroupExecutor executor = engines.start(policy().globalMaxInFlight(8)
                .group("a", GroupLimits.unset().withGuaranteed(1).withWeight(3))
                .build());
        submit(executor, "a", 8);

        assertThat(stats(executor, "a").level()).isEqualTo(2);
        assertThat(stats(executor, "a").borrowed()).isEqualTo(7);
    }

    @Test
    void underALimitThatWasLoweredBelowWhatIsOutItIsTheCapAndNotTheHeadroom() throws Exception {
        GroupExecutor executor = engines.start(policy().globalMaxInFlight(4).build());
        submit(executor, "a", 5);
        // The audit takes what begins later for something new, which the limit of 3 would have held up.
        gate.awaitArrived(4);
        executor.updatePolicy(executor.policy().toBuilder()
                .globalMaxInFlight(3)
                .globalHeadroom(1)
                .build());

        assertThat(waitsFor(executor, "a")).contains(WaitReason.CAP);
    }

    @Test
    void whatWaitsNestedWaitsForItsOwnGroupAlone() throws Exception {
        GroupExecutor executor = engines.start(policy().globalMaxInFlight(1)
                .group("inner", GroupLimits.unset().withMaxConcurrency(1))
                .build());
        Gate inInner = new Gate();
        Caller<String> outer =
                Caller.start(() -> executor.call("outer", () -> executor.call("inner", inInner.then("done"))));
        inInner.awaitArrived(1);
        executor.submit("inner", "waits", () -> "done");

        assertThat(stats(executor, "inner").held()).isZero();
        assertThat(waitsFor(executor, "inner")).contains(WaitReason.GROUP_LIMIT);
        inInner.open();
        assertThat(outer.result()).isEqualTo("done");
    }

    @Test
    void aRejectionSaysWhyTheGroupWaits() {
        GroupExecutor executor = engines.start(policy().globalMaxInFlight(1)
                .group("none", GroupLimits.unset().withQueueThreshold(0))
                .group("single", GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0))
                .build());
        submit(executor, "single", 1);

        RejectedTaskException full = rejected(() -> executor.call("none", () -> "done"));
        assertThat(full.waitsFor()).contains(WaitReason.CAP);
        assertThat(full).hasMessageContaining("(0 waiting, queueThreshold 0; held up by CAP)");

        assertThat(rejected(() -> executor.call("single", () -> "done")).waitsFor())
                .contains(WaitReason.GROUP_LIMIT);

        RejectedTaskException late = rejected(() -> executor.call("late", Duration.ofMillis(1), () -> "done"));
        assertThat(late.waitsFor()).contains(WaitReason.CAP);
        assertThat(late).hasMessageContaining("held up by CAP");
    }

    @Test
    void aShutdownIsNoWaitForAnything() {
        GroupExecutor executor = engines.start(policy().globalMaxInFlight(1).build());
        submit(executor, "a", 1);
        var waiting = executor.acquireAsync("b").toCompletableFuture();
        executor.shutdown();

        assertThat(waiting)
                .failsWithin(Deadline.LONG)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        RejectedTaskException.class,
                        it -> assertThat(it.waitsFor()).isEmpty());
    }

    @Test
    void aRuleTellsWhatItsGroupsHoldBeyondTheirGuaranteesAndHowManyWaitBelowThem() {
        GroupExecutor executor = engines.start(policy().globalMaxInFlight(6)
                .pattern("rule:*", GroupLimits.unset().withGuaranteed(1))
                .build());
        submit(executor, "rule:1", 4);
        submit(executor, "plain", 3);
        submit(executor, "rule:2", 1);
        submit(executor, "rule:3", 1);
        submit(executor, "rule:paused", 1);
        executor.pause("rule:paused");

        RuleStats rule = ruleStats(executor, "rule:*");
        assertThat(rule.borrowed()).isEqualTo(3);
        assertThat(rule.groupsBelowGuarantee()).isEqualTo(2);
        assertThat(ruleStats(executor, null).borrowed()).isEqualTo(2);
        assertThat(ruleStats(executor, null).groupsBelowGuarantee()).isZero();
        executor.resume("rule:paused");
    }

    private static RuleStats ruleStats(GroupExecutor executor, String rule) {
        List<RuleStats> rules = executor.ruleStats().stream()
                .filter(stats -> stats.rule().equals(Optional.ofNullable(rule)))
                .toList();
        assertThat(rules).hasSize(1);
        return rules.getFirst();
    }

    private static RejectedTaskException rejected(ThrowingCallable call) {
        return catchThrowableOfType(RejectedTaskException.class, call);
    }
}
