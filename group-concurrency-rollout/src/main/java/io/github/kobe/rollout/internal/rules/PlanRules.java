package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * How a plan changes. Before its start, and for decisions of people, {@link #apply} applies a command; from its start
 * on, {@link #derive} derives its state from those of its tasks.
 */
public final class PlanRules {

    /** A plan after a change, and what is to be told of it. */
    record Changed(PlanRecord plan, List<Occurrence> told) {

        /** Copies what is told. */
        Changed {
            told = List.copyOf(told);
        }

        Changed then(Changed next) {
            List<Occurrence> all = new ArrayList<>(told);
            all.addAll(next.told);
            return new Changed(next.plan, all);
        }
    }

    private PlanRules() {}

    static Changed apply(PlanRecord plan, PlanCommand command, Instant now) {
        return switch (command) {
            case VALIDATE -> go(plan, command, PlanStatus.VALIDATING, now, PlanStatus.CREATED);
            case ACCEPT -> accept(plan, now);
            case REFUSE -> go(plan, command, PlanStatus.FAILED, now, PlanStatus.VALIDATING);
            case START -> {
                Changed started = go(plan, command, PlanStatus.RUNNING, now, PlanStatus.READY);
                PlanRecord running = started.plan().with(edit -> edit.startedAt = now);
                yield started.then(new Changed(
                        running, plan.waves().count() > 1 ? List.of(WaveRules.started(running, 0)) : List.of()));
            }
            case PAUSE -> {
                require(plan, command, PlanStatus.RUNNING);
                yield derive(plan.with(edit -> edit.pauseAsked = true), 0, now);
            }
            case RESUME -> {
                if (plan.status() != PlanStatus.RUNNING || !plan.pauseAsked()) {
                    require(plan, command, PlanStatus.PAUSED);
                }
                yield derive(WaveRules.resume(plan, now), 0, now);
            }
            case CANCEL -> {
                require(plan, command, PlanStatus.READY, PlanStatus.RUNNING, PlanStatus.PAUSED);
                yield plan.status() == PlanStatus.READY
                        ? go(plan, command, PlanStatus.CANCELLED, now, PlanStatus.READY)
                        : derive(plan.with(edit -> edit.pauseAsked = true), 0, now);
            }
            case ROLL_BACK -> {
                require(
                        plan,
                        command,
                        PlanStatus.RUNNING,
                        PlanStatus.PAUSED,
                        PlanStatus.PARTIAL_FAILED,
                        PlanStatus.COMPLETED);
                PlanRecord marked = plan.with(edit -> {
                    edit.rollingBack = true;
                    edit.pauseAsked = false;
                });
                yield along(marked, PlanStatus.ROLLING_BACK, now);
            }
            case RETRY -> {
                require(plan, command, PlanStatus.RUNNING, PlanStatus.PAUSED, PlanStatus.PARTIAL_FAILED);
                PlanRecord again = plan.status() == PlanStatus.PARTIAL_FAILED ? WaveRules.accept(plan) : plan;
                yield new Changed(again.with(edit -> edit.rollingBack = false), List.of());
            }
            case ROLL_BACK_FAILED -> {
                require(plan, command, PlanStatus.RUNNING, PlanStatus.PAUSED, PlanStatus.PARTIAL_FAILED);
                yield new Changed(plan, List.of());
            }
            case ADD -> {
                require(plan, command, PlanStatus.READY, PlanStatus.RUNNING, PlanStatus.PAUSED);
                yield new Changed(plan, List.of());
            }
            case GIVE_UP -> go(plan, command, PlanStatus.FAILED, now, PlanStatus.PARTIAL_FAILED);
        };
    }

    /** The gate after that wave waits for this. Twice is once. */
    static Changed approve(PlanRecord plan, int wave, String by, Instant now) {
        Changed approved = WaveRules.approve(plan, wave, by);
        return approved.then(derive(approved.plan(), 0, now));
    }

    /** From now on so many tasks run at once. */
    static Changed limit(PlanRecord plan, int maxConcurrency, String by) {
        if (plan.status().isFinal()) {
            throw new TaskOperationException(
                    "ILLEGAL_STATE", "plan " + plan.id() + " is " + plan.status() + ", and runs no more tasks");
        }
        return plan.maxConcurrency() == maxConcurrency
                ? new Changed(plan, List.of())
                : new Changed(
                        plan.with(edit -> edit.maxConcurrency = maxConcurrency),
                        List.of(new Occurrence.ConcurrencyChanged(maxConcurrency, by)));
    }

    /** The gate after the current wave waits for this. */
    static Changed passCheck(PlanRecord plan, Instant now) {
        Changed passed = WaveRules.passCheck(plan);
        return passed.then(derive(passed.plan(), 0, now));
    }

    private static Changed accept(PlanRecord plan, Instant now) {
        if (plan.size() == 0) {
            throw illegal(plan, PlanStatus.READY, "it has no tasks");
        }
        return go(plan, PlanCommand.ACCEPT, PlanStatus.READY, now, PlanStatus.VALIDATING);
    }

    /**
     * The state that follows from the tasks: nothing before the start, after the end, or once it is completed.
     *
     * @param untouched at the end of a rollback, how many tasks have failed before any stage of them began
     */
    static Changed derive(PlanRecord plan, int untouched, Instant now) {
        return switch (plan.status()) {
            case CREATED, VALIDATING, READY, COMPLETED, FAILED, ROLLED_BACK, CANCELLED -> new Changed(plan, List.of());
            case RUNNING, PAUSED, PARTIAL_FAILED, ROLLING_BACK -> {
                Changed waves = WaveRules.follow(plan, now);
                yield waves.then(along(waves.plan(), derived(waves.plan(), untouched), now));
            }
        };
    }

    private static PlanStatus derived(PlanRecord plan, int untouched) {
        int open = plan.open();
        int size = plan.size();
        int cancelled = plan.count(TaskStatus.CANCELLED);
        if (plan.rollingBack()) {
            int neverBegun = cancelled - plan.abandoned() + untouched;
            return open > 0
                    ? PlanStatus.ROLLING_BACK
                    : plan.count(TaskStatus.ROLLED_BACK) + neverBegun == size
                            ? PlanStatus.ROLLED_BACK
                            : PlanStatus.PARTIAL_FAILED;
        }
        if (open > 0) {
            return plan.pauseAsked() && plan.count(TaskStatus.RUNNING) == 0 ? PlanStatus.PAUSED : PlanStatus.RUNNING;
        }
        if (plan.count(TaskStatus.COMPLETED) == size) {
            return PlanStatus.COMPLETED;
        }
        if (cancelled == size) {
            return PlanStatus.CANCELLED;
        }
        return plan.count(TaskStatus.ROLLED_BACK) + cancelled == size
                ? PlanStatus.ROLLED_BACK
                : PlanStatus.PARTIAL_FAILED;
    }

    /** By the shortest way through the states between, each of which is entered. */
    private static Changed along(PlanRecord plan, PlanStatus to, Instant now) {
        List<Occurrence> entered = new ArrayList<>();
        way(plan, to).forEach(status -> entered.add(new Occurrence.PlanEntered(status)));
        PlanRecord after = plan.with(edit -> {
            edit.status = to;
            if (to.isSettled()) {
                edit.pauseAsked = false;
                edit.endedAt = plan.endedAt() == null ? now : plan.endedAt();
            } else {
                edit.endedAt = null;
            }
        });
        return new Changed(after, entered);
    }

    private static List<PlanStatus> way(PlanRecord plan, PlanStatus to) {
        if (plan.status() == to) {
            return List.of();
        }
        Deque<List<PlanStatus>> ways = new ArrayDeque<>();
        for (PlanStatus first : plan.status().next()) {
            ways.add(List.of(first));
        }
        while (!ways.isEmpty()) {
            List<PlanStatus> way = ways.remove();
            if (way.getLast() == to) {
                return way;
            }
            if (way.size() < PlanStatus.values().length) {
                for (PlanStatus next : way.getLast().next()) {
                    List<PlanStatus> longer = new ArrayList<>(way);
                    longer.add(next);
                    ways.add(longer);
                }
            }
        }
        throw illegal(plan, to, "there is no such transition");
    }

    private static Changed go(PlanRecord plan, PlanCommand command, PlanStatus to, Instant now, PlanStatus from) {
        require(plan, command, from);
        return along(plan, to, now);
    }

    private static void require(PlanRecord plan, PlanCommand command, PlanStatus... allowed) {
        List<PlanStatus> states = List.of(allowed);
        if (!states.contains(plan.status())) {
            throw new TaskOperationException(
                    "ILLEGAL_STATE",
                    "plan " + plan.id() + " is " + plan.status() + "; " + command + " needs " + states);
        }
    }

    private static TaskOperationException illegal(PlanRecord plan, PlanStatus to, String why) {
        return new TaskOperationException(
                "ILLEGAL_STATE", "plan " + plan.id() + " can't go from " + plan.status() + " to " + to + ": " + why);
    }
}
