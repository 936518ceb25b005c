package io.github.kobe;

import org.jspecify.annotations.Nullable;

/** A hold that is handed out, and given back by whoever closes it. */
class Permit extends Hold implements GroupPermit {

    Permit(@Nullable Thread thread, Group group, boolean granted) {
        super(thread, group, granted);
    }

    @Override
    public final String groupKey() {
        return group.key;
    }

    @Override
    public final void close() {
        group.engine.callers.close(this);
    }

    /** Tells of its end; its permits are back. */
    void reportEnd() {}

    /** A permit whose life is reported to the listener. */
    static final class Reported extends Permit {
        private final String id;
        private final @Nullable TaskTrace trace;
        /** Written by the thread that asked for it, before anyone else knows the permit. */
        private long start;

        Reported(@Nullable Thread thread, Group group, boolean granted, String id, @Nullable TaskTrace trace) {
            super(thread, group, granted);
            this.id = id;
            this.trace = trace;
            this.start = group.engine.nanoTime();
        }

        /** Its time begins now; before it is handed out. */
        void begin() {
            start = group.engine.nanoTime();
        }

        @Override
        void reportEnd() {
            Engine engine = group.engine;
            engine.reports.ended(group.key, id, null, null, start, engine.nanoTime(), trace);
        }
    }
}
