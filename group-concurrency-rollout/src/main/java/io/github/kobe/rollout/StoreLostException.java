package io.github.kobe.rollout;

/** The store failed for so long that another node may have taken the plan over. */
final class StoreLostException extends RuntimeException {

    private static final long serialVersionUID = 1;

    StoreLostException(RuntimeException cause) {
        super("the store failed: " + cause.getMessage(), cause);
    }
}
