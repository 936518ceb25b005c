package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Statement;
import io.github.kobe.internal.cluster.Holding.Cause;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of which groups a node speaks next. */
class HoldingsTests {

    private final Holdings holdings = new Holdings();

    private Holding add(String key) {
        Holding holding = new Holding(key, 0, 0);
        holdings.add(holding);
        return holding;
    }

    @Test
    @Tag("CL43")
    void aHeartbeatSpeaksOfTheOneNotSpokenOfForLongestThoughMuchIsToBeSaidAgain() {
        Holding longest = add("longest");
        for (int i = 0; i < Statement.MOST_DEMANDS; i++) {
            holdings.due(add("key-" + i), Cause.AGAIN);
        }

        assertThat(holdings.next(true, false)).contains(longest).hasSize(Statement.MOST_DEMANDS);
    }
}
