package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What there is to warn of in what a server tells of itself. */
class SetupTests {

    private static final String ALONE = "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n";
    private static final String KEEPS = "# Memory\r\nmaxmemory_policy:noeviction\r\n";

    @Test
    void nothing() {
        assertThat(Setup.warnings(KEEPS, ALONE)).isEmpty();
        assertThat(Setup.warnings("maxmemory_policy:volatile-lru\r\n", ALONE)).isEmpty();
        assertThat(Setup.warnings("", "")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "allkeys-lfu", "allkeys-random"})
    void keysThatMayBeEvicted(String policy) {
        assertThat(Setup.warnings("maxmemory_policy:" + policy + "\r\n", ALONE))
                .hasSize(1)
                .allSatisfy(warning -> assertThat(warning).startsWith("maxmemory-policy is " + policy + ","));
    }

    @Test
    void replicasThatGuardNothing() {
        String replicas = "role:master\r\nconnected_slaves:2\r\n";

        assertThat(Setup.warnings(KEEPS, replicas))
                .hasSize(1)
                .allSatisfy(warning -> assertThat(warning).startsWith("Redis has 2 replicas and no min-replicas"));
        assertThat(Setup.warnings(KEEPS, replicas + "min_slaves_good_slaves:2\r\n"))
                .isEmpty();
    }
}
