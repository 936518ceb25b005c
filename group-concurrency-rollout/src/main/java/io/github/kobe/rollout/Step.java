package io.github.kobe.rollout;

/**
 * One step of a stage. After a crash it may run again, with the same idempotency key and a higher fencing token.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Step {

    /**
     * Does the step.
     *
     * @param context the context in which it runs
     * @throws Exception if it fails; then the stage and the task fail too
     */
    void execute(StageContext context) throws Exception;
}
