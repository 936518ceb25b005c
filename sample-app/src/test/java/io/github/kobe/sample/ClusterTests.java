package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three instances, a real Redis, and a partner that counts by itself. */
@Tag("deep")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClusterTests {

    @Test
    @Tag("CL10")
    @Tag("CL11")
    @Tag("CL51")
    void thePartnerNeverSeesMoreThanTheLimitAlthoughAnInstanceAndRedisAreKilled() throws Exception {
        assertThat(Demonstration.run("cluster-demo.sh"))
                .contains("Instance 3 is killed", "Redis is killed", "Is it as promised?")
                .doesNotContain("  NO   ");
    }
}
