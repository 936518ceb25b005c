package io.github.kobe.rollout.internal.drive;

/**
 * Thrown if the store was silent for so long that another node may have taken over the plan, or if a stop gives no more time.
 * It names no cause: what a database says about a failure may contain what was to be written.
 */
final class StoreLostException extends RuntimeException {

    private static final long serialVersionUID = 1;

    StoreLostException(String why) {
        super(why);
    }
}
