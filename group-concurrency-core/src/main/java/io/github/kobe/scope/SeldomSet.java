package io.github.kobe.scope;

import io.github.kobe.internal.base.Removal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A set that most scopes don't need, so it is made for the first element. Used by any thread. */
final class SeldomSet<E> {

    private static final VarHandle ELEMENTS;

    static {
        try {
            ELEMENTS = MethodHandles.lookup().findVarHandle(SeldomSet.class, "elements", Set.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private volatile @Nullable Set<E> elements;

    void add(E element) {
        Set<E> all = elements;
        if (all == null) {
            Set<E> made = ConcurrentHashMap.newKeySet();
            all = ELEMENTS.compareAndSet(this, null, made) ? made : elements;
        }
        if (all != null) {
            all.add(element);
        }
    }

    void remove(E element) {
        Set<E> all = elements;
        if (all != null) {
            Removal.from(all, element);
        }
    }

    boolean isEmpty() {
        Set<E> all = elements;
        return all == null || all.isEmpty();
    }

    void forEach(Consumer<? super E> action) {
        Set<E> all = elements;
        if (all != null) {
            all.forEach(action);
        }
    }
}
