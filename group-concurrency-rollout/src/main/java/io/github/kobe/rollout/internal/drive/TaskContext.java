package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a stage may know of its task. */
final class TaskContext implements StageContext {

    private final TaskRecord task;
    private final String stage;
    private final boolean rollingBack;
    private final TaskSpec spec;
    private final RolloutOptions options;
    private final RolloutSettings settings;
    private final Map<String, String> data;

    /** From 1; 0: none. */
    private int step;

    TaskContext(TaskRecord task, TaskSpec spec, String stage, boolean rollingBack, RolloutOptions options) {
        this.task = task;
        this.spec = spec;
        this.stage = stage;
        this.rollingBack = rollingBack;
        this.options = options;
        settings = options.settingsOf(task.change().settings());
        data = new TreeMap<>(task.data());
    }

    /** What follows is the step of that number, from 1. */
    void enter(int number) {
        step = number;
    }

    @Override
    public PlanId planId() {
        return task.planId();
    }

    @Override
    public TaskId taskId() {
        return task.id();
    }

    @Override
    public TenantId tenantId() {
        return task.tenantId();
    }

    @Override
    public String stageName() {
        return stage;
    }

    @Override
    public TenantChange change() {
        return spec.change();
    }

    @Override
    public List<NetworkEndpoint> endpoints() {
        return task.change().endpoints().stream().map(this::endpoint).toList();
    }

    @Override
    public NetworkEndpoint endpoint(String url) {
        return options.allowed(NetworkEndpoint.of(url));
    }

    @Override
    public Optional<ConfigSnapshot> previous() {
        return Optional.ofNullable(spec.previous());
    }

    @Override
    public boolean isRollingBack() {
        return rollingBack;
    }

    @Override
    public ConfigSnapshot target() {
        ConfigSnapshot previous = spec.previous();
        return rollingBack && previous != null ? previous : spec.change().target();
    }

    @Override
    public int attempt() {
        return task.attempt();
    }

    @Override
    public String idempotencyKey() {
        return task.id() + "/" + task.attempt() + "/" + encoded(stage) + "/" + step;
    }

    @Override
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

    @Override
    public long fencingToken() {
        return task.token();
    }

    @Override
    public RolloutSettings settings() {
        return settings;
    }

    @Override
    public Map<String, String> data() {
        return data;
    }
}
