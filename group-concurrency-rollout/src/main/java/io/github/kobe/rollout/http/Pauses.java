package io.github.kobe.rollout.http;

import java.time.Duration;

/** Lets time pass. */
@FunctionalInterface
interface Pauses {

    void pause(Duration time) throws InterruptedException;
}
