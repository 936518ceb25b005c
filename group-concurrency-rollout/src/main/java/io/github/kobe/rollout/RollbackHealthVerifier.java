package io.github.kobe.rollout;

/**
 * Checks a tenant after all its stages were rolled back.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RollbackHealthVerifier {

    /**
     * {@return whether the tenant is as it was before}
     *
     * @param context the task and its tenant; {@link StageContext#target()} is what the tenant had before
     * @param health asks instances about their health
     * @throws Exception if the check isn't possible, which counts as {@code false}
     */
    boolean verify(StageContext context, HealthCheckClient health) throws Exception;

    /** {@return a verifier that checks nothing} */
    static RollbackHealthVerifier alwaysTrue() {
        return (context, health) -> true;
    }
}
