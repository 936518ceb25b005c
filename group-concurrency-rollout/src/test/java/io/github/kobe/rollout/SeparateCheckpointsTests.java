package io.github.kobe.rollout;

import java.util.List;
import org.junit.jupiter.api.Tag;

/** The same deaths, while checkpoints are kept in Redis: what has one isn't done again. */
@Tag("deep")
class SeparateCheckpointsTests extends DurabilityTests {

    static List<StoreKind> kinds() {
        return List.of(StoreKind.H2_AND_REDIS);
    }
}
