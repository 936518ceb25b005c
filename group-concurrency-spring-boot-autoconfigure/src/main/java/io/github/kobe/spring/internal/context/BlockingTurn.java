package io.github.kobe.spring.internal.context;

import io.github.kobe.Costs;
import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.util.concurrent.Callable;

/** The turn of a call that its own thread waits for. Whatever keeps the call from being made is told as a rejection. */
public final class BlockingTurn {

    private BlockingTurn() {}

    /**
     * Makes a call when its turn comes.
     *
     * @param executor the executor of the group
     * @param groupKey the group
     * @param costs what the call costs of the group's rates
     * @param call what is done
     * @param <T> what it returns
     * @return what it returns
     * @throws RejectedTaskException if it isn't admitted, the thread is interrupted while it waits, or after a shutdown
     * @throws Exception what the call throws
     */
    public static <T> T take(GroupExecutor executor, String groupKey, Costs costs, Callable<T> call) throws Exception {
        boolean[] entered = new boolean[1];
        try {
            return executor.call(groupKey, "", GroupLimits.NO_TIMEOUT, costs, () -> {
                entered[0] = true;
                return call.call();
            });
        } catch (ExecutorShutdownException shutDown) {
            throw entered[0] ? shutDown : rejection(groupKey, "", RejectionReason.SHUTDOWN, shutDown);
        } catch (InterruptedException interrupted) {
            if (entered[0]) {
                throw interrupted;
            }
            throw interrupted(groupKey, "", interrupted);
        }
    }

    /**
     * {@return the rejection of a call whose thread was interrupted while it waited} Sets the thread's interrupt status again.
     *
     * @param groupKey the group
     * @param taskId the purpose of the call; empty: it has no name
     * @param interrupted what the wait has thrown
     */
    public static RejectedTaskException interrupted(String groupKey, String taskId, InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return rejection(groupKey, taskId, RejectionReason.INTERRUPTED, interrupted);
    }

    /**
     * {@return the rejection of a call}
     *
     * @param groupKey the group
     * @param taskId the purpose of the call; empty: it has no name
     * @param reason why it isn't made
     * @param cause what the engine has thrown
     */
    public static RejectedTaskException rejection(
            String groupKey, String taskId, RejectionReason reason, Exception cause) {
        RejectedTaskException rejection = new RejectedTaskException(groupKey, taskId, reason, -1, -1);
        rejection.initCause(cause);
        return rejection;
    }
}
