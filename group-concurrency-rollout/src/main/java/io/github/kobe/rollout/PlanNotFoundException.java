package io.github.kobe.rollout;

/**
 * Thrown if there is no such plan.
 *
 * @since 0.1.0
 */
public final class PlanNotFoundException extends RolloutException {

    private static final long serialVersionUID = 1;

    /**
     * Says that there is no such plan.
     *
     * @param planId the plan that was asked for
     */
    public PlanNotFoundException(PlanId planId) {
        super("there is no plan " + planId, null);
    }
}
