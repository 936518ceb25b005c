package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Turns between groups when the global limit is what is short. */
@Tag("E2")
class FairnessTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final List<String> order = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();

    private GroupExecutor held(GroupPolicy.Builder policy) {
        GroupExecutor executor = engines.start(
                policy.globalMaxInFlight(1).defaultMaxConcurrencyPerGroup(2).build());
        executor.submit("holder", "holder", gate.then("held"));
        gate.awaitArrived(1);
        return executor;
    }

    private void queue(GroupExecutor executor, String key, int count) {
        for (int i = 1; i <= count; i++) {
            String name = key + i;
            executor.submit(key, name, () -> order.add(name));
        }
    }

    private void assertOrder(GroupExecutor executor, String... expected) throws InterruptedException {
        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(order).containsExactly(expected);
    }

    @Test
    void groupsOfTheSameWeightTakeTurns() throws Exception {
        GroupExecutor executor = held(GroupPolicy.builder());
        queue(executor, "a", 4);
        queue(executor, "b", 2);
        queue(executor, "c", 3);

        assertOrder(executor, "a1", "b1", "c1", "a2", "b2", "c2", "a3", "c3", "a4");
    }

    @Test
    @Tag("W7")
    void aGroupStartsAsManyTasksInATurnAsItsWeight() throws Exception {
        GroupExecutor executor = held(GroupPolicy.builder()
                .group("a", GroupLimits.unset().withWeight(3))
                .group("b", GroupLimits.unset().withWeight(2)));
        queue(executor, "a", 7);
        queue(executor, "b", 4);
        queue(executor, "c", 3);

        assertOrder(executor, "a1", "a2", "a3", "b1", "b2", "c1", "a4", "a5", "a6", "b3", "b4", "c2", "a7", "c3");
    }

    @Test
    void aWeightThatIsLoweredCountsInTheTurnThatIsUnderWay() throws Exception {
        GroupExecutor executor =
                held(GroupPolicy.builder().group("a", GroupLimits.unset().withWeight(5)));
        Gate inA1 = new Gate();
        executor.submit("a", "a1", () -> {
            order.add("a1");
            inA1.pass();
            return true;
        });
        for (int i = 2; i <= 6; i++) {
            String name = "a" + i;
            executor.submit("a", name, () -> order.add(name));
        }
        queue(executor, "b", 2);
        gate.open();
        inA1.awaitArrived(1);

        executor.setLimits("a", GroupLimits.unset().withWeight(2));
        inA1.open();

        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(order).containsExactly("a1", "a2", "a3", "b1", "a4", "a5", "b2", "a6");
    }

    @Test
    void whatAGroupDoesNotUseOfItsTurnIsNotCarriedOver() throws Exception {
        GroupExecutor executor =
                held(GroupPolicy.builder().group("a", GroupLimits.unset().withWeight(3)));
        Gate inB1 = new Gate();
        queue(executor, "a", 1);
        executor.submit("b", "b1", () -> {
            order.add("b1");
            inB1.pass();
            return true;
        });
        for (int i = 2; i <= 4; i++) {
            String name = "b" + i;
            executor.submit("b", name, () -> order.add(name));
        }
        gate.open();
        inB1.awaitArrived(1);

        for (int i = 2; i <= 6; i++) {
            String name = "a" + i;
            executor.submit("a", name, () -> order.add(name));
        }
        inB1.open();

        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        // a has left with two starts of its turn unused; it comes back with three, not five.
        assertThat(order).containsExactly("a1", "b1", "a2", "a3", "a4", "b2", "a5", "a6", "b3", "b4");
    }

    @Test
    void aNewcomerJoinsAtTheEnd() throws Exception {
        GroupExecutor executor = held(GroupPolicy.builder());
        Gate inA1 = new Gate();
        executor.submit("a", "a1", () -> {
            order.add("a1");
            inA1.pass();
            return true;
        });
        executor.submit("a", "a2", () -> order.add("a2"));
        executor.submit("b", "b1", () -> order.add("b1"));
        gate.open();
        inA1.awaitArrived(1);

        queue(executor, "c", 1);
        inA1.open();

        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        // While a holds one, it is a level above; when it has given that back, it joins at the end too.
        assertThat(order).containsExactly("a1", "b1", "c1", "a2");
    }

    @Test
    void atItsOwnLimitAGroupLeavesAndComesBackAtTheEnd() throws Exception {
        GroupExecutor executor = held(GroupPolicy.builder()
                .group("a", GroupLimits.unset().withMaxConcurrency(1).withWeight(3)));
        queue(executor, "a", 3);
        queue(executor, "b", 2);

        assertOrder(executor, "a1", "b1", "a2", "b2", "a3");
    }

    @Test
    void aGroupThatItsOwnLimitHoldsBackLosesItsTurnToTheOthers() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(2).build());
        Gate inA = new Gate();
        executor.submit("a", "a-holder", inA.then("held"));
        executor.submit("holder", "holder", gate.then("held"));
        inA.awaitArrived(1);
        gate.awaitArrived(1);
        queue(executor, "a", 2);
        queue(executor, "b", 2);
        gate.open();
        Deadline.until("b is through", () -> order.size() == 2);

        assertThat(order).containsExactly("b1", "b2");
        inA.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(order).containsExactly("b1", "b2", "a1", "a2");
    }

    @Test
    void noGroupWaitsForMoreThanOneTurnOfEachOther() throws Exception {
        GroupExecutor executor =
                held(GroupPolicy.builder().pattern("heavy*", GroupLimits.unset().withWeight(5)));
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            keys.add("heavy" + i + "-");
            queue(executor, "heavy" + i + "-", 40);
        }
        queue(executor, "light-", 8);
        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();

        int last = -1;
        for (int i = 1; i <= 8; i++) {
            int at = order.indexOf("light-" + i);
            for (String key : keys) {
                long between = order.subList(last + 1, at).stream()
                        .filter(name -> name.startsWith(key))
                        .count();
                assertThat(between).as("starts of %s before light-%s", key, i).isLessThanOrEqualTo(5);
            }
            last = at;
        }
    }

    @Test
    void aNewWeightHoldsFromTheNextTurnOn() throws Exception {
        GroupExecutor executor = held(GroupPolicy.builder());
        queue(executor, "a", 4);
        queue(executor, "b", 4);

        executor.setLimits("b", GroupLimits.unset().withWeight(2));

        assertOrder(executor, "a1", "b1", "b2", "a2", "b3", "b4", "a3", "a4");
    }

    /** Without a witness, which would have to be told of each wait that may lend. */
    private GroupExecutor withHeadroom(int cap) {
        return engines.startPlain(GroupPolicy.builder()
                .globalMaxInFlight(cap)
                .globalHeadroom(1)
                .defaultMaxConcurrencyPerGroup(10)
                .build());
    }

    @Test
    @Tag("SH6")
    void headroomIsForNewcomersThoughOthersWaitAndNothingMayWait() throws Exception {
        GroupExecutor executor = withHeadroom(2);
        Gate inNewcomer = new Gate();
        executor.submit("a", "a1", gate.then("held"));
        gate.awaitArrived(1);
        TaskHandle<Boolean> second = executor.submit("a", "a2", () -> order.add("a2"));
        executor.setLimits("new", GroupLimits.unset().withQueueThreshold(0));
        executor.submit("new", "new1", inNewcomer.then("held"));
        inNewcomer.awaitArrived(1);

        assertThat(second.isDone()).isFalse();
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        assertThat(executor.groupStats("a").orElseThrow().held()).isEqualTo(1);
        inNewcomer.open();
        gate.open();

        assertThat(Deadline.within(second::await).status()).isEqualTo(TaskStatus.SUCCESS);
    }

    @Test
    @Tag("SH6")
    void aDrainKeepsNoHeadroom() throws Exception {
        GroupExecutor executor = withHeadroom(2);
        Gate inSecond = new Gate();
        executor.submit("a", "a1", gate.then("held"));
        gate.awaitArrived(1);
        executor.submit("a", "a2", inSecond.then("held"));
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);

        Thread draining = Thread.ofVirtual().start(() -> executor.shutdown(Deadline.LONG));
        inSecond.awaitArrived(1);

        inSecond.open();
        gate.open();
        Deadline.join(draining);
        assertThat(executor.isShutdown()).isTrue();
    }

    @Test
    @Tag("SH3")
    void whoseTaskHasLentItsPermitHoldsLessAndComesFirst() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .globalMaxInFlight(3)
                .defaultMaxConcurrencyPerGroup(10)
                .build());
        Gate lends = new Gate();
        Gate inBusy = new Gate();
        Gate inBorrower = new Gate();
        TaskHandle<String> lender = executor.submit("lends", "1", () -> {
            lends.pass();
            return executor.submit("borrows", "1", inBorrower.then("borrowed"))
                    .await()
                    .value();
        });
        executor.submit("level", "1", gate.then("held"));
        executor.submit("busy", "1", inBusy.then("held"));
        lends.awaitArrived(1);
        executor.submit("level", "2", () -> order.add("level"));
        executor.submit("lends", "2", () -> order.add("lends"));
        assertThat(executor.groupStats("lends").orElseThrow().level())
                .isEqualTo(executor.groupStats("level").orElseThrow().level());

        lends.open();
        inBorrower.awaitArrived(1);
        assertThat(executor.groupStats("lends").orElseThrow().level()).isZero();
        inBusy.open();

        Deadline.until("both have run", () -> order.size() == 2);
        assertThat(order).containsExactly("lends", "level");
        inBorrower.open();
        gate.open();
        assertThat(Deadline.within(lender::await).value()).isEqualTo("borrowed");
    }

    /** The task that borrows waits for the one that waits, in a way that nobody sees. */
    @Test
    @Tag("SH6")
    @Tag("SH11")
    void whoHoldsLittleSinceItsPermitIsLentMayHaveTheHeadroom() throws Exception {
        GroupExecutor executor = withHeadroom(3);
        Gate inOwner = new Gate();
        Gate begun = new Gate();
        executor.submit("lends", "owner", () -> {
            inOwner.pass();
            return executor.submit("borrows", "borrower", begun.then("done")).await();
        });
        executor.submit("borrows", "other", gate.then("held"));
        inOwner.awaitArrived(1);
        gate.awaitArrived(1);
        TaskHandle<Boolean> waiting = executor.submit("lends", "waiting", () -> order.add("waiting"));
        assertThat(executor.groupStats("lends").orElseThrow().queued()).isEqualTo(1);

        inOwner.open();

        assertThat(Deadline.within(waiting::await).status()).isEqualTo(TaskStatus.SUCCESS);
        begun.open();
        gate.open();
    }

    @Test
    @Tag("SH11")
    void whoWaitsForItsOwnWorkNeedsNoHeadroom() throws Exception {
        GroupExecutor executor = withHeadroom(3);

        TaskHandle<String> outer = executor.submit(
                "a",
                "outer",
                () -> executor.submit(
                                "a",
                                "middle",
                                () -> executor.submit("a", "inner", () -> "done")
                                        .await()
                                        .valueOrThrow())
                        .await()
                        .valueOrThrow());

        assertThat(Deadline.within(outer::await).valueOrThrow()).isEqualTo("done");
    }
}
