package io.github.kobe.internal.base;

import org.jspecify.annotations.Nullable;

/**
 * What can be done later by somebody else, such as the {@link Housekeeper} when there was no memory or no thread for it. It
 * has a link of its own, so that it can be listed without any memory. It is in one list at most; the last one of a list is
 * linked to itself.
 */
public interface Later {

    /**
     * Does it, or tries again; without any lock. Where the current thread is the engine's own, it calls user code only
     * if there is no other way to tell what was lost.
     */
    void again(Core core);

    /** {@return the link; {@code null}: it is in no list} */
    @Nullable
    Later later();

    void setLater(@Nullable Later next);

    /** {@return whether it is in a list} */
    default boolean isListed() {
        return later() != null;
    }

    /** Puts it before {@code next}; {@code null}: it is the last. */
    default void linkTo(@Nullable Later next) {
        setLater(next == null ? this : next);
    }

    /** Takes it, the first, out of its list, and returns the next. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    default @Nullable Later unlink() {
        Later next = later();
        setLater(null);
        return next == this ? null : next;
    }
}
