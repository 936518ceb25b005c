package io.github.kobe.spring.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

/** How a method runs in its group, which its declared return type decides. */
enum CallStyle {

    /** On the caller's thread, which waits for its turn. */
    HERE,

    /** On a thread of its own; the caller has a future at once. */
    DISPATCHED,

    /** At each subscription of what the caller has at once. */
    MONO,

    /** As {@link #MONO}, with any number of elements. */
    FLUX;

    /** Reactor's types go by their names: it need not be there. */
    static CallStyle of(Class<?> returnType) {
        if (returnType == CompletionStage.class
                || returnType == CompletableFuture.class
                || returnType == Future.class) {
            return DISPATCHED;
        }
        return switch (returnType.getName()) {
            case "reactor.core.publisher.Mono" -> MONO;
            case "reactor.core.publisher.Flux" -> FLUX;
            default -> HERE;
        };
    }
}
