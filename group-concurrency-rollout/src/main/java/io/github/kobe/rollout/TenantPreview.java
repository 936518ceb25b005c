package io.github.kobe.rollout;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the start of a plan would do with one tenant, as things are now.
 *
 * @param tenant the tenant's id
 * @param stages the names of its stages
 * @param errors everything that is wrong with it
 * @param ahead the task that has the tenant, and then those that wait for it; none if it is free
 * @param previous what a rollback would restore, or {@code null} if that isn't known and a rollback would be refused
 * @since 0.1.0
 */
public record TenantPreview(
        String tenant,
        List<String> stages,
        List<String> errors,
        List<TaskId> ahead,
        @Nullable DeployUnit previous) {

    /** Copies the collections. */
    public TenantPreview {
        stages = List.copyOf(stages);
        errors = List.copyOf(errors);
        ahead = List.copyOf(ahead);
    }
}
