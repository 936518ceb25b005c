package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.internal.rules.PlanRecord;
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
    static Optional<String> difference(PlanRecord plan, List<TaskRecord> tasks, RolloutPlan spec) {
        Integer limit = spec.maxConcurrency();
        Waves waves = Waves.of(spec);
        return first(List.of(
                () -> differs("maxConcurrency", plan.maxConcurrency(), limit == null ? plan.maxConcurrency() : limit),
                () -> differs("number of tenants", tasks.size(), spec.changes().size()),
                () -> differs("waves", plan.waves().sizes(), waves.sizes()),
                () -> differs("maxFailures", plan.waves().maxFailures(), waves.maxFailures()),
                () -> differs("bakeTime", plan.waves().bakeTime(), waves.bakeTime()),
                () -> differs("time-out of approvals", plan.waves().approvalTimeout(), waves.approvalTimeout()),
                () -> ofTenants(tasks, spec.changes())));
    }

    private static Optional<String> ofTenants(List<TaskRecord> tasks, List<TenantChange> changes) {
        for (int index = 0; index < tasks.size(); index++) {
            Optional<String> difference = ofTenant(index + 1, tasks.get(index).change(), changes.get(index));
            if (difference.isPresent()) {
                return difference;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> ofTenant(int number, TenantChange has, TenantChange wanted) {
        String ofIt = " of tenant '" + has.tenant() + "'";
        return first(List.of(
                () -> differs("tenant number " + number, has.tenant(), wanted.tenant()),
                () -> differs("unit" + ofIt, has.unit(), wanted.unit()),
                () -> isOther("config" + ofIt, has.config().equals(wanted.config())),
                () -> differs("endpoints" + ofIt, has.endpoints(), wanted.endpoints()),
                () -> isOther("previous" + ofIt, Objects.equals(has.previous(), wanted.previous())),
                () -> differs("maxRetry" + ofIt, has.maxRetry(), wanted.maxRetry()),
                () -> isOther("settings" + ofIt, has.settings().equals(wanted.settings()))));
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
