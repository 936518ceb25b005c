package io.github.kobe.rollout;

import java.util.List;

/**
 * Thrown if a plan can't be created, with everything that is wrong with it.
 *
 * @since 0.1.0
 */
public final class TaskCreationException extends RolloutException {

    private static final long serialVersionUID = 1;

    private final transient List<String> errors;

    /**
     * Says everything that is wrong.
     *
     * @param planId the id that the plan was to have
     * @param errors all errors, of all tenants; copied
     */
    public TaskCreationException(String planId, List<String> errors) {
        super("plan '" + planId + "' can't be created: " + String.join("; ", errors), null);
        this.errors = List.copyOf(errors);
    }

    /** {@return all errors, of all tenants} */
    public List<String> errors() {
        return errors;
    }
}
