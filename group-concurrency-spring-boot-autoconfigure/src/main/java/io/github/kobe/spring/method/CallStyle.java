package io.github.kobe.spring.method;

import org.jspecify.annotations.Nullable;

/** How a method runs in its group, which its declared return type decides; see {@link ReturnTypes}. */
interface CallStyle {

    /** On the caller's thread, which waits for its turn. */
    CallStyle HERE = GuardedCall::runHere;

    /** On a thread of its own; the caller has a future at once. */
    @SuppressWarnings("FutureReturnValueIgnored") // it is returned
    CallStyle DISPATCHED = GuardedCall::dispatch;

    /** {@return whether the method's work goes on in tasks of Reactor's schedulers} */
    default boolean goesOnInSchedulers() {
        return false;
    }

    /** {@return what the caller gets} Throws what he is to get instead. */
    @Nullable
    Object start(GuardedCall call) throws Throwable;
}
