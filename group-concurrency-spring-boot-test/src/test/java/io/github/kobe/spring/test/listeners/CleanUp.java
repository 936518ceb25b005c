package io.github.kobe.spring.test.listeners;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.testing.Gate;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** A job that takes longer than the time between two of its runs. */
@Component
@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the fallback, found by its name
class CleanUp {

    private static final Logger LOGGER = LoggerFactory.getLogger(CleanUp.class);

    private final Gate gate;
    private final AtomicInteger leftOut = new AtomicInteger();

    CleanUp(Gate gate) {
        this.gate = gate;
    }

    @Scheduled(fixedRateString = "${cleanup.rate}")
    @GroupConcurrent(group = "cleanup", queueTimeout = "0s", fallbackMethod = "leaveOut")
    public void cleanUp() throws InterruptedException {
        deleteWhatIsOld();
    }

    private void leaveOut(RejectedTaskException rejection) {
        LOGGER.info("The last run is not over yet; this one is left out");
        leftOut.incrementAndGet();
    }

    private void deleteWhatIsOld() throws InterruptedException {
        gate.pass();
    }

    public int leftOut() {
        return leftOut.get();
    }
}
