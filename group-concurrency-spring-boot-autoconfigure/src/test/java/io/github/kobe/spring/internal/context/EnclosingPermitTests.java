package io.github.kobe.spring.internal.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What has to wait until a permit can be returned. */
class EnclosingPermitTests {

    private static final String GROUP = "a";

    private final GroupExecutor executor =
            GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    private final EnclosingPermit permit = new EnclosingPermit(executor, acquired(), null);
    private final List<Boolean> runs = new ArrayList<>();

    private GroupPermit acquired() {
        return executor.acquireAsync(GROUP).toCompletableFuture().join();
    }

    @AfterEach
    void close() {
        permit.close();
        executor.close();
    }

    /** Notes whether it runs inside the permit. */
    private void run() {
        runs.add(executor.enclosingPermit(GROUP).isPresent());
    }

    @Test
    void whereNobodyIsInsideItRunsAtOnce() {
        permit.enter(() -> {});

        permit.whenLeft(this::run);

        assertThat(runs).containsExactly(false);
    }

    @Test
    void itRunsOnceTheThreadHasLeftAndNotAgainForOneThatComesLater() {
        permit.enter(() -> {
            permit.enter(() -> permit.whenLeft(this::run));
            assertThat(runs).isEmpty();
        });
        permit.enter(() -> {});

        assertThat(runs).containsExactly(false);
    }

    @Test
    void itWaitsForNoThreadThatWasLeftBehind() throws Exception {
        Gate gate = new Gate();
        Caller<Boolean> other = Caller.start(() -> {
            permit.enter(gate::passStubbornly);
            return true;
        });
        gate.awaitArrived(1);

        permit.enter(() -> permit.whenLeft(this::run));

        assertThat(runs).containsExactly(false);
        gate.open();
        assertThat(other.result()).isTrue();
    }

    @Test
    void itWaitsForTheLastOfSeveralThreads() throws Exception {
        Gate gate = new Gate();
        Caller<Boolean> other = Caller.start(() -> {
            permit.enterAwaited(gate::passStubbornly);
            return true;
        });
        gate.awaitArrived(1);

        permit.enter(() -> permit.whenLeft(this::run));
        assertThat(runs).isEmpty();
        gate.open();

        assertThat(other.result()).isTrue();
        assertThat(runs).containsExactly(false);
    }
}
