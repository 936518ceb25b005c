package io.github.kobe.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.testing.Deadline;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The audit itself: that it sees what is wrong. */
class WitnessTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Witness witness = new Witness();

    @Test
    void oneTooManyInsideAGroupIsFound() throws Exception {
        witness.changing("a", 1, 5, () -> {});
        Witness.Stay first = witness.enter("a");
        Witness.Stay second = Deadline.within(() -> witness.enter("a"));

        assertThat(witness.findings()).singleElement().asString().startsWith("I1: 2 running in group 'a', limit 1");

        first.close();
        second.close();
        assertThat(witness.peakRunning("a")).isEqualTo(2);
        assertThat(witness.findingsAtRest()).isEmpty();
    }

    @Test
    void oneTooManyOverAllGroupsIsFound() {
        witness.changingGlobal(1, () -> {});
        Witness.Stay first = witness.enterDetached("a");
        Witness.Stay second = witness.enterDetached("b");

        assertThat(witness.findings()).singleElement().asString().startsWith("I1: 2 in flight over all groups");

        first.close();
        second.close();
    }

    @Test
    void theSameThreadTwiceInsideAGroupCountsOnce() {
        witness.changing("a", 1, 1, () -> {});
        witness.changingGlobal(1, () -> {});
        Witness.Stay outer = witness.enter("a");
        Witness.Stay inner = witness.enter("a");
        Witness.Stay other = witness.enter("b");

        outer.close();
        assertThat(witness.running("a")).isEqualTo(1);
        inner.close();
        assertThat(witness.running("a")).isZero();
        assertThat(witness.globalInFlight()).isEqualTo(1);
        other.close();

        assertThat(witness.globalInFlight()).isZero();
        assertThat(witness.findingsAtRest()).isEmpty();
    }

    @Test
    void afterAShrinkOnlyWhatWasGrantedBeforeMayExceedTheLimit() throws Exception {
        witness.changing("a", 3, 9, () -> {});
        Witness.Stay first = witness.enterDetached("a");
        witness.changing("a", 1, 9, () -> {});

        Witness.Stay second = witness.enterDetached("a");
        Witness.Stay third = witness.enterDetached("a");
        assertThat(witness.findings()).isEmpty();
        third.close();
        Witness.Stay fourth = witness.enterDetached("a");

        assertThat(witness.findings()).singleElement().asString().startsWith("I1: 3 running in group 'a', limit 1");
        first.close();
        second.close();
        fourth.close();
    }

    @Test
    void whatBeginsAgainUnderAPermitFromBeforeAShrinkIsNotOneTooMany() throws Exception {
        GroupPolicy policy = GroupPolicy.builder().globalMaxInFlight(2).build();
        GroupExecutor executor = engines.start(policy);
        Witness its = engines.witness(executor);
        its.changingGlobal(2, () -> {});
        GroupPermit other = executor.acquireAsync("a").toCompletableFuture().join();
        Witness.Stay stay = its.enterDetached("a");
        GroupPermit permit = executor.acquire("b");

        its.underUncounted(
                "b",
                () -> permit.call(() -> {
                    executor.call("c", its.inside("c", () -> {
                        GroupPolicy smaller =
                                policy.toBuilder().globalMaxInFlight(1).build();
                        its.changingGlobal(1, () -> executor.updatePolicy(engines.witnessed(executor, smaller)));
                        return "begun under the old limit";
                    }));
                    return executor.call("c", its.inside("c", () -> "begun again"));
                }));

        assertThat(its.peakGlobalInFlight()).isEqualTo(2);
        assertThat(its.findings()).isEmpty();
        permit.close();
        stay.close();
        other.close();
    }

    @Test
    void whatBeginsUnderAnUncountedPermitUsesUpOneGrantFromBeforeAShrink() throws Exception {
        witness.changing("a", 3, 9, () -> {});
        Witness.Stay first = witness.enterDetached("a");
        witness.changing("a", 1, 9, () -> {});

        witness.underUncounted("a", () -> {
            witness.enter("a").close();
            witness.enter("a").close();
            return null;
        });
        Witness.Stay second = witness.enterDetached("a");
        assertThat(witness.findings()).isEmpty();
        second.close();
        witness.enterDetached("a").close();

        assertThat(witness.findings()).singleElement().asString().startsWith("I1: 2 running in group 'a', limit 1");
        first.close();
    }

    @Test
    void oneTooManyUnderAnUncountedPermitIsFound() throws Exception {
        witness.changing("a", 1, 9, () -> {});
        witness.changing("b", 2, 9, () -> {});
        Witness.Stay inItsGroup = witness.enterDetached("a");
        Witness.Stay inAnother = witness.enterDetached("b");
        Witness.Stay alsoThere = witness.enterDetached("b");

        witness.underUncounted("a", () -> {
            witness.enter("a").close();
            witness.changing("b", 1, 9, () -> {});
            witness.enter("b").close();
            alsoThere.close();
            witness.enter("b").close();
            return null;
        });

        assertThat(witness.findings())
                .satisfiesExactly(
                        finding -> assertThat(finding).startsWith("I1: 2 running in group 'a', limit 1"),
                        finding -> assertThat(finding).startsWith("I1: 3 running in group 'b', limit 1"),
                        finding -> assertThat(finding).startsWith("I1: 2 running in group 'b', limit 1"));
        inItsGroup.close();
        inAnother.close();
    }

    @Test
    void whoWaitsForWorkOfItsGroupDoesNotCount() throws Exception {
        witness.changing("a", 1, 1, () -> {});
        Witness.Stay lender = witness.enter("a");

        witness.waiting(
                "a",
                () -> Deadline.within(() -> {
                    witness.enter("a").close();
                    return "borrowed";
                }));

        assertThat(witness.running("a")).isEqualTo(1);
        lender.close();
        assertThat(witness.findingsAtRest()).isEmpty();
    }

    @Test
    void whoNeverLeftIsFoundAtRest() {
        Witness.Stay stay = witness.enter("a");

        assertThat(witness.findingsAtRest()).anyMatch(finding -> finding.startsWith("I3: "));
        stay.close();
    }
}
