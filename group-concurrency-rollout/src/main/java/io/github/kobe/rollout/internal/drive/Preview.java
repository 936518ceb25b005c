package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanNotFoundException;
import io.github.kobe.rollout.PlanPreview;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.TenantPreview;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.Snapshot;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TenantRecord;
import io.github.kobe.rollout.internal.rules.Waves;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds out what the start of a plan would do. It only reads. */
public final class Preview {

    private final RolloutEngine engine;
    private final Waves waves;
    private final Map<TenantId, TenantRecord> known;
    private final List<List<TenantPreview>> tenants = new ArrayList<>();

    private Preview(RolloutEngine engine, Waves waves, Stream<TaskRecord> tasks) {
        this.engine = engine;
        this.waves = waves;
        known = engine.store().findTenants(tasks.map(TaskRecord::tenantId).toList()).stream()
                .collect(Collectors.toMap(TenantRecord::id, tenant -> tenant, (one, same) -> one));
        waves.sizes().forEach(size -> tenants.add(new ArrayList<>()));
    }

    public static PlanPreview of(RolloutEngine engine, RolloutPlan spec) {
        Creation creation = new Creation(engine, spec, "preview");
        List<Creation.Draft> drafts = creation.check();
        Preview preview = new Preview(engine, Waves.of(spec), drafts.stream().map(Creation.Draft::task));
        drafts.forEach(draft -> preview.add(draft.task(), draft.errors()));
        Integer limit = spec.maxConcurrency();
        return preview.of(
                String.valueOf(spec.planId()),
                limit == null ? engine.options().maxConcurrency() : limit,
                creation.errors());
    }

    public static PlanPreview of(RolloutEngine engine, PlanId planId) {
        PlanRecord plan = engine.store().findPlan(planId).orElseThrow(() -> new PlanNotFoundException(planId));
        List<TaskRecord> tasks = engine.store().findByPlanId(planId).stream()
                .filter(TaskRecord::waits)
                .toList();
        Preview preview = new Preview(engine, plan.waves(), tasks.stream());
        tasks.forEach(task -> preview.add(task, List.of()));
        return preview.of(
                planId.value(),
                plan.maxConcurrency(),
                plan.status() == PlanStatus.READY
                        ? List.of()
                        : List.of("plan " + planId + " is " + plan.status() + "; only one that is READY is started"));
    }

    private PlanPreview of(String planId, int maxConcurrency, List<String> errors) {
        return new PlanPreview(planId, maxConcurrency, errors, engine.options().conflict(), tenants);
    }

    private void add(TaskRecord task, List<String> errors) {
        TenantRecord tenant = known.getOrDefault(task.tenantId(), TenantRecord.unknown(task.tenantId()));
        List<TaskId> ahead = Stream.concat(Stream.ofNullable(tenant.claim()), tenant.waiting().stream())
                .filter(other -> !other.equals(task.id()))
                .toList();
        Snapshot previous = task.previous() == null ? tenant.lastKnownGood() : task.previous();
        tenants.get(waves.waveOf(task.position()))
                .add(new TenantPreview(
                        task.tenantId().value(),
                        task.stageNames(),
                        errors,
                        ahead,
                        previous == null ? null : previous.unit()));
    }
}
