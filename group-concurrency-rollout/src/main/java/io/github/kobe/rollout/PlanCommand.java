package io.github.kobe.rollout;

/** A command to a plan. */
enum PlanCommand {
    VALIDATE,
    ACCEPT,
    REFUSE,
    START,
    PAUSE,
    RESUME,
    CANCEL,
    ROLL_BACK,
    RETRY,
    GIVE_UP
}
