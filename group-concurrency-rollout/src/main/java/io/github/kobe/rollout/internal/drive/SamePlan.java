package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.internal.rules.Change;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.Snapshot;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.Waves;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whether a plan that is there already has the content of one that is to be created. */
final class SamePlan {

    private SamePlan() {}

    /**
     * {@return what differs first, if anything does} A plan that leaves its concurrency to the default has whichever it got
     * when it was created.
     */
    static Optional<String> difference(PlanRecord plan, List<TaskRecord> tasks, RolloutPlan spec, PlanStore store) {
        Integer limit = spec.maxConcurrency();
        Waves waves = Waves.of(spec);
        return first(List.of(
                () -> differs("maxConcurrency", plan.maxConcurrency(), limit == null ? plan.maxConcurrency() : limit),
                () -> differs("number of tenants", tasks.size(), spec.changes().size()),
                () -> differs("waves", plan.waves().sizes(), waves.sizes()),
                () -> differs("maxFailures", plan.waves().maxFailures(), waves.maxFailures()),
                () -> differs("bakeTime", plan.waves().bakeTime(), waves.bakeTime()),
                () -> differs("time-out of approvals", plan.waves().approvalTimeout(), waves.approvalTimeout()),
                () -> differs("onTooManyFailures", plan.waves().onTooManyFailures(), waves.onTooManyFailures()),
                () -> differs("time-out of checks", plan.waves().checkTimeout(), waves.checkTimeout()),
                () -> ofTenants(tasks, spec.changes(), store)));
    }

    private static Optional<String> ofTenants(List<TaskRecord> tasks, List<TenantChange> changes, PlanStore store) {
        for (int index = 0; index < tasks.size(); index++) {
            Optional<String> difference = ofTenant(tasks.get(index), changes.get(index), store);
            if (difference.isPresent()) {
                return difference;
            }
        }
        return Optional.empty();
    }

    /** Of what was before, a task has what it has found itself, if the change doesn't say it. */
    private static Optional<String> ofTenant(TaskRecord task, TenantChange wanted, PlanStore store) {
        String ofIt = " of tenant '" + task.tenantId() + "'";
        Change has = task.change();
        ConfigSnapshot previous = wanted.previous();
        return first(List.of(
                () -> differs(
                        "tenant number " + (task.position() + 1),
                        task.tenantId().value(),
                        wanted.tenant()),
                () -> differs("unit" + ofIt, has.target().unit(), wanted.unit()),
                () -> isOther("config" + ofIt, isSame(has.target(), wanted.target(), store)),
                () -> isOther("endpoints" + ofIt, has.endpoints().equals(wanted.endpoints())),
                () -> isOther("previous" + ofIt, previous == null || isSame(task.previous(), previous, store)),
                () -> differs("maxRetry" + ofIt, has.maxRetry(), wanted.maxRetry()),
                () -> isOther("settings" + ofIt, has.settings().equals(wanted.settings()))));
    }

    private static boolean isSame(@Nullable Snapshot kept, ConfigSnapshot wanted, PlanStore store) {
        return kept != null
                && kept.unit().equals(wanted.unit())
                && store.findConfig(kept.configId())
                        .filter(wanted.config()::equals)
                        .isPresent();
    }

    private static Optional<String> differs(String what, @Nullable Object has, @Nullable Object wanted) {
        return Objects.equals(has, wanted)
                ? Optional.empty()
                : Optional.of("its " + what + " is " + has + ", not " + wanted);
    }

    /** Without the values, which may be secret. */
    private static Optional<String> isOther(String what, boolean isSame) {
        return isSame ? Optional.empty() : Optional.of("its " + what + " is another");
    }

    private static Optional<String> first(List<Supplier<Optional<String>>> differences) {
        return differences.stream().map(Supplier::get).flatMap(Optional::stream).findFirst();
    }
}
