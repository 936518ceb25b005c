package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.FailureReaction;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.WaveGate;
import io.github.kobe.rollout.internal.rules.PlanRules.Changed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a plan's waves advance, given its tasks and the time: the part of {@link PlanRules#derive} that says what may
 * begin. Once all tasks of a wave and of those before it have ended, the next wave with waiting tasks begins, or a gate
 * opens that holds it back. A paused plan begins none, and a plan that is rolled back has no gates.
 */
public final class WaveRules {

    private WaveRules() {}

    static Changed follow(PlanRecord plan, Instant now) {
        if (plan.rollingBack()) {
            return new Changed(at(plan, null), List.of());
        }
        List<Occurrence> told = new ArrayList<>();
        PlanRecord heeded = heedFailures(plan, told);
        return new Changed(goOn(heeded, now, told), told);
    }

    /** {@return whether more of its tasks have failed than may, so that it is to be rolled back now} */
    static boolean rollsBack(PlanRecord plan) {
        return plan.waves().onTooManyFailures() == FailureReaction.ROLLBACK
                && (plan.status() == PlanStatus.RUNNING || plan.status() == PlanStatus.PAUSED)
                && !plan.rollingBack()
                && plan.failures() > allowed(plan);
    }

    static Occurrence tooManyFailures(PlanRecord plan) {
        return new Occurrence.TooManyFailures(
                plan.failures(), plan.mostFailures(), plan.waves().onTooManyFailures());
    }

    /** {@return how many may have failed} What was accepted once is not accepted again, when it has been better meanwhile. */
    private static int allowed(PlanRecord plan) {
        return Math.min(plan.progress().failuresAllowed(), Math.max(plan.mostFailures(), plan.failures()));
    }

    /** Each failure above what is allowed asks for a pause, if something is left to begin. */
    private static PlanRecord heedFailures(PlanRecord plan, List<Occurrence> told) {
        int allowed = allowed(plan);
        boolean stops = plan.failures() > allowed && plan.count(TaskStatus.PENDING) > 0 && !plan.pauseAsked();
        if (stops) {
            told.add(tooManyFailures(plan));
        }
        return plan.with(edit -> {
            edit.pauseAsked |= stops;
            edit.progress = plan.progress().allowing(allowed);
        });
    }

    private static PlanRecord goOn(PlanRecord plan, Instant now, List<Occurrence> told) {
        Waves waves = plan.waves();
        WaveProgress progress = plan.progress();
        int next = progress.next();
        if (next < 0 || plan.open() > progress.ahead()) {
            return at(plan, null);
        }
        WaveGate gate = progress.gate();
        if (gate == null) {
            gate = waves.gateFrom(now);
            if (gate != null) {
                told.add(new Occurrence.GateOpened(progress.current() + 1, waves.bakeTime(), waves.approvalTimeout()));
            }
        }
        if (plan.pauseAsked()) {
            return at(plan, gate);
        }
        if (gate == null || Gates.isPassed(gate, now)) {
            told.add(started(plan, next));
            int allowed = waves.limitsEachWave() ? waves.mostFailures(next) : progress.failuresAllowed();
            return plan.with(edit -> edit.progress = progress.in(next).allowing(allowed));
        }
        if (Gates.isExpired(gate, now)) {
            told.add(new Occurrence.GateTimedOut(progress.current() + 1));
            return at(plan.with(edit -> edit.pauseAsked = true), gate);
        }
        return at(plan, gate);
    }

    static Occurrence started(PlanRecord plan, int wave) {
        return new Occurrence.WaveStarted(
                wave + 1, plan.waves().count(), plan.progress().waiting().get(wave));
    }

    private static PlanRecord at(PlanRecord plan, @Nullable WaveGate gate) {
        return Objects.equals(plan.progress().gate(), gate)
                ? plan
                : plan.with(edit -> edit.progress = edit.progress.at(gate));
    }

    static Changed approve(PlanRecord plan, int wave, String by) {
        WaveProgress progress = plan.progress();
        WaveGate gate = progress.gate();
        int ended = progress.current() + 1;
        if (gate == null || gate.expiresAt() == null) {
            throw new TaskOperationException(
                    "NO_GATE",
                    "plan " + plan.id() + " is " + plan.status() + " in wave " + ended + " of "
                            + plan.waves().count() + ", and no gate waits for an approval");
        }
        if (wave != ended) {
            throw new TaskOperationException(
                    "OTHER_GATE",
                    "plan " + plan.id() + " waits for an approval of wave " + ended + ", not of wave " + wave);
        }
        return gate.approvedBy() != null
                ? new Changed(plan, List.of())
                : new Changed(at(plan, Gates.approved(gate, by)), List.of(new Occurrence.GateApproved(ended, by)));
    }

    /** {@return whether the gate waits for its check, and nothing else holds the plan back} */
    static boolean waitsForCheck(PlanRecord plan) {
        WaveGate gate = plan.progress().gate();
        return gate != null && gate.needsCheck() && !plan.pauseAsked() && !plan.rollingBack();
    }

    /** {@return whether the gate is after that wave, and is there since that time} Otherwise it has begun anew. */
    static boolean isAt(PlanRecord plan, int wave, Instant since) {
        WaveGate gate = plan.progress().gate();
        return gate != null
                && gate.since().equals(since)
                && wave == plan.progress().current() + 1;
    }

    static Changed passCheck(PlanRecord plan) {
        WaveGate gate = Objects.requireNonNull(plan.progress().gate());
        return new Changed(
                at(plan, Gates.checked(gate)),
                List.of(new Occurrence.GateChecked(plan.progress().current() + 1)));
    }

    /** {@return the plan with so many more tasks in its last wave} With more tasks, more of them may fail. */
    static PlanRecord growing(PlanRecord plan, int tasks) {
        Waves grown = plan.waves().growing(tasks);
        WaveProgress progress = plan.progress();
        int allowed = Math.max(progress.failuresAllowed(), grown.mostFailures(progress.current()));
        return plan.with(edit -> {
            edit.waves = grown;
            edit.progress = progress.allowing(allowed);
        });
    }

    /** Whoever resumes a plan accepts what has failed so far, and gives an approval its time again. */
    static PlanRecord resume(PlanRecord plan, Instant now) {
        WaveGate gate = plan.progress().gate();
        return accept(plan).with(edit -> {
            edit.pauseAsked = false;
            edit.progress = edit.progress.at(gate == null ? null : plan.waves().renewed(gate, now));
        });
    }

    /** {@return the plan, for which only further failures count} */
    static PlanRecord accept(PlanRecord plan) {
        return plan.with(
                edit -> edit.progress = plan.progress().allowing(Math.max(plan.mostFailures(), plan.failures())));
    }
}
