package io.github.kobe.rollout;

/** What can be done with a plan. */
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
