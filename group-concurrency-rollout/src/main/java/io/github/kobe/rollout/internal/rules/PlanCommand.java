package io.github.kobe.rollout.internal.rules;

/** A command to a plan. */
public enum PlanCommand {
    VALIDATE,
    ACCEPT,
    REFUSE,
    START,
    PAUSE,
    RESUME,
    CANCEL,
    ROLL_BACK,
    RETRY,
    ROLL_BACK_FAILED,
    ADD,
    GIVE_UP
}
