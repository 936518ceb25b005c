package io.github.kobe.rollout;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The context in which a step runs. Only the thread of the step may use it.
 *
 * @since 0.1.0
 */
public final class StageContext {

    private final TaskRecord task;
    private final String stage;
    private final boolean rollingBack;
    private final RolloutSettings settings;
    private final Map<String, String> data;

    /** From 1; 0: none. */
    private int step;

    StageContext(TaskRecord task, String stage, boolean rollingBack, RolloutSettings settings) {
        this.task = task;
        this.stage = stage;
        this.rollingBack = rollingBack;
        this.settings = settings;
        data = new TreeMap<>(task.data());
    }

    /** What follows is the step of that number, from 1. */
    void enter(int number) {
        step = number;
    }

    /** {@return the plan} */
    public PlanId planId() {
        return task.planId();
    }

    /** {@return the task} */
    public TaskId taskId() {
        return task.id();
    }

    /** {@return the tenant} */
    public TenantId tenantId() {
        return task.tenantId();
    }

    /** {@return the name of the stage} */
    public String stageName() {
        return stage;
    }

    /** {@return the change that the task makes} */
    public TenantChange change() {
        return task.change();
    }

    /** {@return the addresses of the tenant's instances} */
    public List<NetworkEndpoint> endpoints() {
        return task.change().endpoints().stream()
                .map(NetworkEndpoint::ofTrusted)
                .toList();
    }

    /** {@return what the tenant had before, if that is known} */
    public Optional<ConfigSnapshot> previous() {
        return Optional.ofNullable(task.previous());
    }

    /** {@return whether the stage is being rolled back} */
    public boolean isRollingBack() {
        return rollingBack;
    }

    /** {@return the unit that the tenant should have after this: the new one, or during a rollback the previous one} */
    public ConfigSnapshot target() {
        ConfigSnapshot previous = task.previous();
        return rollingBack && previous != null ? previous : task.change().target();
    }

    /** {@return the configuration that the tenant should have after this, which is that of {@link #target()}} */
    public String config() {
        return target().config();
    }

    /** {@return the number of this attempt of the task, from 1; each retry and each rollback is a new attempt} */
    public int attempt() {
        return task.attempt();
    }

    /**
     * {@return an idempotency key for a step that sends one request} It is made of the task, the attempt, the stage and
     * the step, so it is the same if the step runs again after a crash, and a new one for each other step, each retry and
     * each rollback. It has visible ASCII characters only, and fits into a header.
     */
    public String idempotencyKey() {
        return task.id() + "/" + task.attempt() + "/" + encoded(stage) + "/" + step;
    }

    /**
     * {@return an idempotency key for one of several requests of a step} For another part it is another key.
     *
     * @param part which request, not blank: such as the name of an instance, and not what differs after a crash
     * @throws IllegalArgumentException if the part is blank
     */
    public String idempotencyKey(String part) {
        if (part.isBlank()) {
            throw new IllegalArgumentException(
                    "the part of an idempotency key is '" + part + "'; it must not be blank");
        }
        return idempotencyKey() + "/" + encoded(part);
    }

    /** Without the slash that stands between the parts. */
    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /**
     * {@return a number of the tenant's that grows over all its plans: with each task, each retry, each rollback, and
     * each time that the running task's plan is taken over} It is at least 1, and the same for all stages of one attempt
     * unless the plan is taken over in between. A service that remembers the highest number of the tenant, and refuses
     * requests with a lower one, is safe from a node that has lost a plan, this one or an earlier one, and doesn't know
     * it yet.
     */
    public long fencingToken() {
        return task.token();
    }

    /** {@return the settings of the tenant} */
    public RolloutSettings settings() {
        return settings;
    }

    /** {@return data that stages of this run keep for later stages; saved when the stage passes} */
    public Map<String, String> data() {
        return data;
    }
}
