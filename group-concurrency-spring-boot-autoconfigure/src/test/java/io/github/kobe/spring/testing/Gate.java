package io.github.kobe.spring.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds threads until a test lets them pass; a gate that stays shut fails the test. */
public final class Gate {

    private static final long DEADLINE_SECONDS = 20;

    private final CountDownLatch latch = new CountDownLatch(1);

    public void open() {
        latch.countDown();
    }

    public void pass() {
        try {
            passInterruptibly();
        } catch (InterruptedException interrupted) {
            throw new AssertionError("Interrupted before the gate", interrupted);
        }
    }

    public void passInterruptibly() throws InterruptedException {
        assertThat(latch.await(DEADLINE_SECONDS, TimeUnit.SECONDS))
                .as("the gate is open in time")
                .isTrue();
    }
}
