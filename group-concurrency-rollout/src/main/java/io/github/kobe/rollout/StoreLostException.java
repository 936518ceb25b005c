package io.github.kobe.rollout;

/** Thrown if the store failed for so long that another node may have taken over the plan. */
final class StoreLostException extends RuntimeException {

    private static final long serialVersionUID = 1;

    StoreLostException(RuntimeException cause) {
        super("the store failed: " + cause.getMessage(), cause);
    }
}
