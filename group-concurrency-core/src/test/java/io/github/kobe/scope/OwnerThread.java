package io.github.kobe.scope;

import io.github.kobe.testing.Caller;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Runs each test on a fresh thread of one kind, which so owns its scopes, and fails it if it doesn't end in time. */
enum OwnerThread implements InvocationInterceptor {
    PLATFORM,
    VIRTUAL;

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Exception {
        run(invocation);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Exception {
        run(invocation);
    }

    private void run(Invocation<Void> invocation) throws Exception {
        Callable<Void> test = () -> {
            try {
                return invocation.proceed();
            } catch (Exception | Error failure) {
                throw failure;
            } catch (Throwable failure) {
                throw new AssertionError(failure);
            }
        };
        (this == VIRTUAL ? Caller.start(test) : Caller.startPlatform(test)).result();
    }
}
