package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What a drive has to start, each once: first what was interrupted or is wanted, then what waits, in the order of the plan.
 * For the thread of the drive alone.
 */
final class Backlog {

    private final Set<TaskId> urgent = new LinkedHashSet<>();
    private final Set<TaskId> pending = new LinkedHashSet<>();

    /** What waits for its wave, or for its plan to go on, in the order of the plan. */
    private final Deque<Later> later = new ArrayDeque<>();

    /** How many tasks, in the order of the plan, may begin. */
    private int reach;

    private record Later(TaskId id, TenantId tenant, int position) {}

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
                later.add(new Later(task.id(), task.tenantId(), task.position()));
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
    Map<TaskId, TenantId> admit(Function<Collection<TenantId>, Set<TaskId>> holding) {
        Map<TaskId, TenantId> reached = new LinkedHashMap<>();
        later.stream()
                .takeWhile(task -> task.position() < reach)
                .forEach(task -> reached.put(task.id(), task.tenant()));
        if (!reached.isEmpty()) {
            Set<TaskId> turns = holding.apply(reached.values());
            for (int moved = reached.size(); moved > 0; moved--) {
                TaskId id = later.remove().id();
                if (turns.contains(id)) {
                    pending.add(id);
                    reached.remove(id);
                }
            }
        }
        return reached;
    }

    /** Adds a task that was begun too early, or was not let in. */
    void addAgain(TaskRecord task) {
        if (task.waits()) {
            ready(task.id());
        } else {
            want(task.id());
        }
    }

    /** It is the turn of a task. */
    void ready(TaskId id) {
        pending.add(id);
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

    private Set<TaskId> queue() {
        return urgent.isEmpty() ? pending : urgent;
    }

    void remove(Set<TaskId> ids) {
        urgent.removeAll(ids);
        pending.removeAll(ids);
        later.removeIf(task -> ids.contains(task.id()));
    }

    /** Forgets what waits. */
    void clearWaiting() {
        pending.clear();
        later.clear();
    }
}
