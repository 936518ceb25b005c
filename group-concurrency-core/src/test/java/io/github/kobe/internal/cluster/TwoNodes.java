package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.cluster.OnStoreLoss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;

/** Two nodes at a store that has learnt, and what tests do with them. */
abstract class TwoNodes {

    static final String KEY = "a";
    static final int LIMIT = 4;
    static final Duration MOMENT = Duration.ofMillis(5);
    static final Duration LONG = Duration.ofMinutes(10);

    final SimulatedCluster cluster = new SimulatedCluster(1).limit(KEY, LIMIT);
    SimulatedNode one;
    SimulatedNode two;

    @BeforeEach
    void bothAreThere() {
        one = cluster.join();
        two = cluster.join();
        pass(Duration.ofSeconds(20));
    }

    final void pass(Duration time) {
        cluster.run(time);
    }

    /** A node asks for so many that wait as long as need be. */
    static List<CompletableFuture<GroupPermit>> run(SimulatedNode node, String key, int count, Duration time) {
        List<CompletableFuture<GroupPermit>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(node.ask(key, LONG, time));
        }
        return all;
    }

    /** {@return whether something starts at once} */
    static boolean starts(SimulatedNode node, String key) {
        CompletableFuture<GroupPermit> asked = node.ask(key, Duration.ZERO, MOMENT);
        return asked.isDone() && !asked.isCompletedExceptionally();
    }

    /** Time passes until a node has spoken so often from now on. */
    final void passUntilSpoken(SimulatedNode node, int more) {
        int spoken = node.spoken() + more;
        for (int i = 0; node.spoken() < spoken; i++) {
            assertThat(i).as("has not spoken for 20 s").isLessThan(200_000);
            pass(Duration.ofNanos(100_000));
        }
    }

    /** {@return how much of the key the store counts for all nodes} */
    final int counted() {
        return cluster.store().remembered().entries("g:" + KEY).stream()
                .mapToInt(Entry::has)
                .sum();
    }

    final SimulatedNode joinThatServesAlone() {
        return joinThatServesAlone(UnaryOperator.identity());
    }

    final SimulatedNode joinThatServesAlone(UnaryOperator<GroupPolicy.Builder> policy) {
        SimulatedNode node = cluster.join(settings -> settings.withOnStoreLoss(OnStoreLoss.LOCAL), policy);
        pass(Duration.ofSeconds(1));
        return node;
    }
}
