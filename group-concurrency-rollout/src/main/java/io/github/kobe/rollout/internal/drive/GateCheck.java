package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.WaveCheck;
import io.github.kobe.rollout.WaveCheck.Verdict;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the application between two waves whether the next one may begin, on a thread of its own. */
final class GateCheck {

    private static final Logger LOG = LoggerFactory.getLogger(GateCheck.class);

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final RolloutEngine engine;
    private final Lease lease;
    private final Runnable nudge;

    /** Only the drive's thread uses what follows, but for the flag. */
    private @Nullable Thread thread;

    /** Since when there was the gate that it was asked about last. */
    private @Nullable Instant askedOf;

    private long askAt = System.nanoTime();
    private volatile boolean isAsking;

    GateCheck(RolloutEngine engine, Lease lease, Runnable nudge) {
        this.engine = engine;
        this.lease = lease;
        this.nudge = nudge;
    }

    /**
     * {@return whether an answer is to come} If it is time to ask, this does so; what nobody waits for any more is interrupted.
     *
     * @param look reads the plan
     */
    boolean isAsking(Supplier<PlanRecord> look) {
        WaveCheck check = engine.options().waveCheck();
        Thread asked = thread;
        boolean wasAsking = isAsking; // before the plan is read, which else may be that of before the answer
        PlanRecord plan = look.get();
        Instant gate = plan.checkDue(engine.now()).orElse(null);
        if (wasAsking && asked != null) {
            if (!Objects.equals(gate, askedOf)) {
                engine.interrupt(asked);
            }
            return true;
        }
        if (gate == null || System.nanoTime() - askAt < 0) {
            return false;
        }
        PlanInfo info = plan.info();
        askAt = System.nanoTime() + engine.options().waveCheckInterval().toNanos();
        if (check == null) {
            LOG.warn("{} is to be checked after wave {}, and this node has no waveCheck", plan.id(), info.wave());
            return false;
        }
        isAsking = true;
        askedOf = gate;
        thread = Thread.ofVirtual().name("rollout-check:" + plan.id()).start(() -> run(check, info, gate));
        return true;
    }

    private void run(WaveCheck check, PlanInfo plan, Instant gate) {
        try {
            Verdict verdict = ask(check, plan);
            if (!lease.isOver()) {
                lease.persist(() -> engine.transact(ledger -> {
                    lease.open(ledger);
                    ledger.check(plan.wave(), gate, verdict);
                    return verdict;
                }));
            }
        } catch (RuntimeException e) {
            lease.lose(e);
        } finally {
            isAsking = false;
            nudge.run();
        }
    }

    private Verdict ask(WaveCheck check, PlanInfo plan) {
        int wave = plan.wave();
        Verdict[] found = {Verdict.WAIT};
        try {
            TimeLimit.run(
                    "the check of wave " + wave,
                    LONGEST,
                    () -> found[0] = Objects.requireNonNull(check.check(plan, wave), "WaveCheck returned null"));
        } catch (Throwable e) {
            if (!lease.isOver()) {
                LOG.warn("The check of wave {} of {} failed, and is asked again", wave, plan.planId(), e);
            }
            return Verdict.WAIT;
        }
        if (found[0].kind() == Verdict.Kind.STOP) {
            LOG.warn("The check of wave {} stops {}: {}", wave, plan.planId(), found[0].reason());
        }
        return found[0];
    }

    /** Ends what is asked, and waits for that; no interrupt ends the wait. */
    void end() {
        Thread asked = thread;
        if (asked == null) {
            return;
        }
        engine.interrupt(asked);
        boolean interrupted = false;
        while (asked.isAlive()) {
            try {
                asked.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
