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
     * @param context what it is looked at for; {@link StageContext#target()} is what the tenant had before
     * @param health asks instances how they are
     * @throws Exception if that can't be found out, which is the same as {@code false}
     */
    boolean verify(StageContext context, HealthCheckClient health) throws Exception;

    /** {@return one that doesn't look} */
    static RollbackHealthVerifier alwaysTrue() {
        return (context, health) -> true;
    }
}
