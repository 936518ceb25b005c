package io.github.kobe.internal.cluster;

import java.util.concurrent.TimeUnit;

/** How fast a node may speak: ten statements at once, and two hundred a second. */
final class Pace {

    private static final int BURST = 10;
    private static final long SPACING = TimeUnit.MILLISECONDS.toNanos(5);

    /** When all that were said at once would have been said at even spacings. */
    private long paidUntil = Long.MIN_VALUE / 2;

    /** {@return in how many nanoseconds the next statement may be made; 0: now} */
    long delay(long now) {
        return Math.max(0, paidUntil - now - (BURST - 1) * SPACING);
    }

    /** One is made. */
    void spoken(long now) {
        paidUntil = Math.max(paidUntil, now) + SPACING;
    }
}
