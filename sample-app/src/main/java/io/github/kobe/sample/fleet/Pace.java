package io.github.kobe.sample.fleet;

import java.time.Duration;

/**
 * How long servers take.
 *
 * @param answer for the answer to a configuration that they are handed
 * @param lag until one that {@linkplain Behaviour#LAG lags} runs what it has loaded
 */
record Pace(Duration answer, Duration lag) {}
