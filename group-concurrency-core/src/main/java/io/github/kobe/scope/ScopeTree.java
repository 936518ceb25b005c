package io.github.kobe.scope;

import io.github.kobe.internal.Fork;
import io.github.kobe.internal.ScopeBridge;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * From a thread to the scope that it is in: the innermost that it has open, else that of the fork it runs. Scopes form one
 * tree across executors, so there is one of these.
 *
 * <p>It knows threads only while they have scopes open. The fork of a thread is found by the engine that runs it: each
 * engine with open scopes is asked, hardly ever more than one.
 */
@SuppressWarnings("ReferenceEquality") // scopes have identity
final class ScopeTree {

    private static final ConcurrentHashMap<Thread, OpenScope<?, ?, ?>> INNERMOST = new ConcurrentHashMap<>();

    /** Threads that tell a joiner of a fork which they don't run. */
    private static final ConcurrentHashMap<Thread, OpenScope<?, ?, ?>> TELLING = new ConcurrentHashMap<>();

    /** How many scopes each engine has open. */
    private static final ConcurrentHashMap<ScopeBridge, Integer> ENGINES = new ConcurrentHashMap<>();

    private ScopeTree() {}

    static void opened(OpenScope<?, ?, ?> scope) {
        scope.bridge.open().add(scope);
        count(scope.bridge, 1);
        INNERMOST.put(scope.owner, scope);
    }

    /** By its owner; or by anyone, once that thread has ended. */
    static void closed(OpenScope<?, ?, ?> scope) {
        OpenScope<?, ?, ?> outer = scope.outer;
        if (outer == null) {
            INNERMOST.remove(scope.owner, scope);
        } else {
            INNERMOST.replace(scope.owner, scope, outer);
        }
        count(scope.bridge, -1);
        scope.bridge.open().remove(scope);
    }

    /** One more is open in {@code engine}, or one less; without a function that the map would call under a monitor. */
    private static void count(ScopeBridge engine, int more) {
        boolean counted = false;
        while (!counted) {
            Integer before = ENGINES.get(engine);
            if (before == null) {
                counted = ENGINES.putIfAbsent(engine, more) == null;
            } else if (before + more == 0) {
                counted = ENGINES.remove(engine, before);
            } else {
                counted = ENGINES.replace(engine, before, before + more);
            }
        }
    }

    /** {@return the innermost scope that {@code thread} has open} */
    static @Nullable OpenScope<?, ?, ?> innermost(Thread thread) {
        return INNERMOST.get(thread);
    }

    /** {@return the fork that {@code thread} runs} */
    static @Nullable ForkedSubtask<?> forkOf(Thread thread) {
        for (ScopeBridge engine : ENGINES.keySet()) {
            Fork fork = engine.forkOf(thread);
            if (fork != null) {
                return (ForkedSubtask<?>) fork;
            }
        }
        return null;
    }

    /** {@return whether {@code thread}, the current one, is in {@code scope} or a scope inside it} */
    static boolean isWithin(Thread thread, OpenScope<?, ?, ?> scope) {
        OpenScope<?, ?, ?> within = enclosing(thread);
        while (within != null && within != scope) {
            within = within.parent();
        }
        return within != null;
    }

    private static @Nullable OpenScope<?, ?, ?> enclosing(Thread thread) {
        OpenScope<?, ?, ?> own = innermost(thread);
        if (own != null) {
            return own;
        }
        ForkedSubtask<?> fork = forkOf(thread);
        return fork == null ? TELLING.get(thread) : fork.scope();
    }

    /** Has {@code told} run by the current thread, which isn't in {@code scope}, as if it were. */
    static void asWithin(OpenScope<?, ?, ?> scope, Runnable told) {
        Thread thread = Thread.currentThread();
        OpenScope<?, ?, ?> before = TELLING.put(thread, scope);
        try {
            told.run();
        } finally {
            if (before == null) {
                TELLING.remove(thread);
            } else {
                TELLING.put(thread, before);
            }
        }
    }
}
