package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What must hold whatever is asked for. The audit checks it after every test; here it is asked for by itself. */
class InvariantTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    @Test
    @Tag("I3")
    void whenAllIsQuietEveryPermitIsBack() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .defaultMaxInFlightPerGroup(3)
                .globalMaxInFlight(4)
                .build());
        CompletableFuture<String> done = new CompletableFuture<>();
        List<TaskHandle<?>> handles = new ArrayList<>();
        handles.add(executor.submitAsync("a", "open stage", () -> done));
        handles.add(executor.submitAsync("a", "cancelled stage", CompletableFuture::new));
        Deadline.until(
                "two open stages",
                () -> executor.stats().inFlight() == 2 && executor.stats().running() == 0);
        handles.getLast().cancel(true);
        handles.add(executor.submit("a", "holder", gate.then("held")));
        handles.add(executor.submit("b", "cancelled", gate.then("held")));
        gate.awaitArrived(2);
        handles.getLast().cancel(false);
        handles.add(executor.submit("a", "fails", () -> {
            throw new IllegalStateException("expected");
        }));
        handles.add(executor.submit("a", "cancelled in the queue", () -> "never"));
        handles.getLast().cancel(true);
        handles.add(executor.submit("b", "lends", () -> {
            TaskHandle<String> borrower = executor.submit("b", "borrows", () -> "borrowed");
            return engines.witness(executor).waiting("b", borrower::await).value();
        }));
        String nested = Deadline.within(() -> executor.call("c", () -> executor.call("d", () -> "nested")));
        assertThat(nested).isEqualTo("nested");
        done.complete("done");
        gate.open();
        for (TaskHandle<?> handle : handles) {
            Deadline.within(handle::await);
        }
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();

        assertThat(fill(executor, "a", "a", "a")).isEqualTo(2);
        assertThat(fill(executor, "b", "b", "b")).isEqualTo(2);
        assertThat(fill(executor, "a", "b", "c", "d", "e")).isEqualTo(4);
    }

    /** {@return how many permits of these groups are to be had at once} */
    private static int fill(GroupExecutor executor, String... keys) throws Exception {
        List<GroupPermit> permits = new ArrayList<>();
        for (String key : keys) {
            Optional<GroupPermit> permit = Deadline.within(() -> executor.tryAcquire(key, Duration.ZERO));
            permit.ifPresent(permits::add);
        }
        permits.forEach(GroupPermit::close);
        return permits.size();
    }
}
