package io.github.kobe.spring.rollout;

import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The operations that a request can name, for a plan or for one of its tasks. */
enum RolloutAction {
    START("start", "a plan that is READY", null),
    PAUSE("pause", "a plan that is RUNNING", "a task that is RUNNING"),
    RESUME("resume", "a plan that is PAUSED", "a task that is PAUSED"),
    CANCEL("cancel", "a plan that is READY, RUNNING or PAUSED", "a task that is PENDING, RUNNING or PAUSED"),
    CANCEL_NOW("cancelNow", "a plan that is READY, RUNNING or PAUSED", "a task that is PENDING, RUNNING or PAUSED"),
    ROLLBACK(
            "rollback",
            "a plan that is RUNNING, PAUSED, PARTIAL_FAILED or COMPLETED",
            "a task that is RUNNING, PAUSED, FAILED, COMPLETED or ROLLBACK_FAILED"),
    ROLLBACK_FAILED(
            "rollbackFailed", "a plan that is RUNNING, PAUSED or PARTIAL_FAILED, with tasks that have failed", null),
    RETRY(
            "retry",
            "a plan that is RUNNING, PAUSED or PARTIAL_FAILED, with tasks that have failed",
            "a task that is FAILED, of a plan that has not ended"),
    GIVE_UP("giveUp", "a plan that is PARTIAL_FAILED", null),
    APPROVE("approve", "a plan whose next wave waits for an approval", null),
    CHANGE_CONCURRENCY("changeConcurrency", "a plan that has not ended", null);

    private final String text;
    private final String plan;
    private final @Nullable String task;

    RolloutAction(String text, String plan, @Nullable String task) {
        this.text = text;
        this.plan = plan;
        this.task = task;
    }

    static RolloutAction of(@Nullable String text) {
        return Arrays.stream(values())
                .filter(action -> action.text.equals(text))
                .findFirst()
                .orElseThrow(() -> RefusedRequestException.badRequest(
                        text == null ? "no action is given" : "there is no such action",
                        "action",
                        text,
                        "one of " + texts(false)));
    }

    /** {@return the names of all, or of those that can be wanted of one task} */
    static String texts(boolean ofTasks) {
        return Arrays.stream(values())
                .filter(action -> !ofTasks || action.isForTasks())
                .map(RolloutAction::text)
                .collect(Collectors.joining(", "));
    }

    String text() {
        return text;
    }

    boolean isForTasks() {
        return task != null;
    }

    /** {@return what it can be wanted of} */
    String allowed(boolean ofTask) {
        return ofTask && task != null ? task : plan;
    }
}
