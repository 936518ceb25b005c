package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What a drive has to start, each once: first what was interrupted or is wanted, then what waits, in the order of the plan.
 * For the thread of the drive alone.
 */
final class Backlog {

    private final Set<TaskId> urgent = new LinkedHashSet<>();

    /** By their positions. */
    private final SortedMap<Integer, TaskId> pending = new TreeMap<>();

    /** What waits for its wave, or for its plan to go on, in the order of the plan. */
    private final Deque<WaitingTask> later = new ArrayDeque<>();

    /** How many tasks, in the order of the plan, may begin. */
    private int reach;

    void setReach(int tasks) {
        reach = tasks;
    }

    /** {@return whether any task that waits may begin} */
    boolean mayBegin() {
        return reach > 0;
    }

    /** Adds tasks, in the order of the plan; what waits begins later, if it is {@linkplain #admit admitted}. */
    void add(Collection<TaskRecord> tasks) {
        for (TaskRecord task : tasks) {
            if (task.waits()) {
                later.add(WaitingTask.of(task));
            } else if (task.status().hasThread() || task.wish() != null) {
                urgent.add(task.id());
            }
        }
    }

    /**
     * Lets what is in reach begin where it is its turn. If the question for that fails, nothing has changed.
     *
     * @param holding tells which of these tenants have which tasks
     * @return those whose tenants are others'
     */
    List<WaitingTask> admit(Function<Collection<TenantId>, Set<TaskId>> holding) {
        List<WaitingTask> reached =
                later.stream().takeWhile(task -> task.position() < reach).toList();
        List<WaitingTask> left = new ArrayList<>();
        if (!reached.isEmpty()) {
            Set<TaskId> turns =
                    holding.apply(reached.stream().map(WaitingTask::tenant).toList());
            for (WaitingTask task : reached) {
                later.remove();
                if (turns.contains(task.id())) {
                    ready(task);
                } else {
                    left.add(task);
                }
            }
        }
        return left;
    }

    /** Adds a task that was begun too early, or was not let in. */
    void addAgain(TaskRecord task) {
        if (task.waits()) {
            ready(WaitingTask.of(task));
        } else {
            want(task.id());
        }
    }

    /** It is the turn of a task. Of those whose turn it is, the first one of the plan begins first. */
    void ready(WaitingTask task) {
        pending.put(task.position(), task.id());
    }

    /** Something is wanted of a task that rests. */
    void want(TaskId id) {
        urgent.add(id);
    }

    boolean hasWork() {
        return !urgent.isEmpty() || (reach > 0 && !pending.isEmpty());
    }

    TaskId first() {
        return queue().iterator().next();
    }

    void removeFirst() {
        queue().remove(first());
    }

    private Collection<TaskId> queue() {
        return urgent.isEmpty() ? pending.values() : urgent;
    }

    void remove(Set<TaskId> ids) {
        urgent.removeAll(ids);
        pending.values().removeAll(ids);
        later.removeIf(task -> ids.contains(task.id()));
    }

    /** Forgets what waits. */
    void clearWaiting() {
        pending.clear();
        later.clear();
    }
}
