package io.github.kobe.internal.work;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What is left of an asynchronous task once its callable has returned: it is told how its stage completes. */
interface Tail extends BiConsumer<@Nullable Object, @Nullable Throwable> {

    /** Cancels the stage, as well as that can be done. */
    void cancelStage();
}
