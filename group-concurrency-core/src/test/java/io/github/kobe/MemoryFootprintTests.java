package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryFootprintTests {

    @Test
    void aQueuedTaskCostsOneObjectOfFortyBytes() throws InterruptedException {
        MemoryFootprint.bytesPerQueuedTask(1_000);
        // The object alone is 40 bytes with compressed references; the rest is for what else the JVM does meanwhile.
        assertThat(MemoryFootprint.bytesPerQueuedTask(200_000)).isLessThan(44);
    }

    @Test
    void keysThatAreUsedOnceLeaveNothingBeyondTheIdleBound() throws Exception {
        assertThat(MemoryFootprint.usedKeys(50_000).groupsKept()).isLessThanOrEqualTo(1_000);
    }
}
