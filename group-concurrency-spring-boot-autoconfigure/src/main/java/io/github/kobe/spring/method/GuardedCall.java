package io.github.kobe.spring.method;

import io.github.kobe.Costs;
import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.spring.internal.context.EnclosingPermit;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/** One call of an annotated method. */
final class GuardedCall {

    /** Proceeds where Spring hasn't exposed the invocation: aspects further in look it up in a thread-local. */
    private static final MethodInterceptor AWAY = ExposeInvocationInterceptor.INSTANCE;

    private final GuardedMethod method;
    private final String groupKey;
    private final Costs costs;
    private final GroupExecutor executor;
    private final MethodInvocation invocation;

    /** Tells what the method throws from what keeps it from running. Written and read by the thread that runs it. */
    private boolean entered;

    GuardedCall(
            GuardedMethod method, String groupKey, Costs costs, GroupExecutor executor, MethodInvocation invocation) {
        this.method = method;
        this.groupKey = groupKey;
        this.costs = costs;
        this.executor = executor;
        this.invocation = invocation;
    }

    GroupExecutor executor() {
        return executor;
    }

    String groupKey() {
        return groupKey;
    }

    Costs costs() {
        return costs;
    }

    String taskId() {
        return method.taskId();
    }

    Duration maxWait() {
        Duration queueTimeout = method.queueTimeout();
        return queueTimeout == null ? GroupLimits.NO_TIMEOUT : queueTimeout;
    }

    /** Runs the method on this thread, when its turn comes. */
    @Nullable
    Object runHere() throws Throwable {
        try {
            return executor.call(groupKey, taskId(), maxWait(), costs, () -> {
                entered = true;
                return proceed(MethodInvocation::proceed);
            });
        } catch (RejectedTaskException rejection) {
            if (entered) {
                throw rejection;
            }
            return rejected(rejection);
        } catch (InterruptedException interrupted) {
            if (entered || method.declaresInterrupt()) {
                throw interrupted;
            }
            Thread.currentThread().interrupt();
            throw (RejectedTaskException) rejection(RejectionReason.INTERRUPTED).initCause(interrupted);
        } catch (ExecutorShutdownException shutDown) {
            if (entered) {
                throw shutDown;
            }
            return rejected(rejection(RejectionReason.SHUTDOWN));
        }
    }

    /** Has the method run on a thread of its own, when its turn comes, and returns a future at once. */
    CompletableFuture<Object> dispatch() {
        try {
            boolean inItsGroup = isInsideItsGroup();
            EnclosingPermit entered = EnclosingPermit.entered(executor, groupKey);
            // A thread that waits inside its own call or task lends; what nobody waits for has to share at once.
            if (entered != null && (entered.groupKey().equals(groupKey) || !inItsGroup)) {
                CompletableFuture<GroupPermit> asked = entered.acquireAsync(groupKey, taskId(), maxWait(), costs)
                        .toCompletableFuture();
                if (!EnclosingPermit.isClosed(asked)) {
                    return SharedRun.start(this, asked, this::await);
                }
            }
            DispatchedFuture future = submit();
            if (inItsGroup) {
                method.ownGroupWait().lookLater(groupKey, future);
            }
            return future;
        } catch (ExecutorShutdownException shutDown) {
            CompletableFuture<Object> refused = new CompletableFuture<>();
            answer(refused, rejection(RejectionReason.SHUTDOWN));
            return refused;
        }
    }

    private DispatchedFuture submit() {
        CompletableFuture<Thread> runner = new CompletableFuture<>();
        Callable<@Nullable Object> work = () -> {
            runner.complete(Thread.currentThread());
            return await();
        };
        TaskHandle<?> handle = executor.submit(
                new GroupTask<@Nullable Object>(groupKey, taskId(), work, method.queueTimeout(), true, costs));
        DispatchedFuture future = new DispatchedFuture(this, handle, runner);
        future.follow();
        return future;
    }

    /** Runs the method, and waits for what it returns. */
    private @Nullable Object await() throws Exception {
        return AsynchronousEnd.await(proceed(AWAY), taskId());
    }

    /** {@return whether the current thread has permits of the executor} */
    boolean isInsideAGroup() {
        return EnclosingPermit.keyOfCurrent(executor, groupKey).isPresent();
    }

    private boolean isInsideItsGroup() {
        return EnclosingPermit.keyOfCurrent(executor, groupKey)
                .filter(groupKey::equals)
                .isPresent();
    }

    private @Nullable Object proceed(MethodInterceptor how) throws Exception {
        try {
            return how.invoke(invocation);
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new UndeclaredThrowableException(thrown);
        }
    }

    /** {@return what the method returns} An invocation can proceed once, so each time is with one of its own. */
    @Nullable
    Object proceedAnew() throws Throwable {
        return AWAY.invoke(invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation);
    }

    /** {@return what the fallback answers; throws the rejection if there is none for it} */
    @Nullable
    Object rejected(RejectedTaskException rejection) throws Throwable {
        FallbackMethod fallback = method.fallback();
        if (fallback == null || rejection.reason() == RejectionReason.INTERRUPTED) {
            throw rejection;
        }
        return fallback.answer(invocation.getThis(), invocation.getArguments(), rejection);
    }

    /** Completes the future of a rejected call: with what the fallback's future gives, or with the rejection. */
    void answer(CompletableFuture<Object> future, RejectedTaskException rejection) {
        try {
            AsynchronousEnd.follow(rejected(rejection), taskId(), future);
        } catch (Throwable thrown) {
            future.completeExceptionally(thrown);
        }
    }

    private RejectedTaskException rejection(RejectionReason reason) {
        long queued = executor.groupStats(groupKey).map(group -> group.queued()).orElse(0);
        return new RejectedTaskException(groupKey, taskId(), reason, -1, queued);
    }
}
