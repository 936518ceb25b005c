package io.github.kobe.rollout;

/**
 * One step of a stage. After a crash it may run once more, with the same idempotency key and a higher fencing token.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Step {

    /**
     * Does the step.
     *
     * @param context what it is done for
     * @throws Exception if it fails; the stage and the task fail with it
     */
    void execute(StageContext context) throws Exception;
}
