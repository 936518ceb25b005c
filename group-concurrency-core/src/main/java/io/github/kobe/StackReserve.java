package io.github.kobe;

/**
 * Makes sure, before anything is changed, that enough of the stack is left for what is to come: a
 * {@link StackOverflowError} comes at once, and not where a lock is held or a permit is on its way.
 *
 * <p>It calls itself a few times in frames that are large but hardly written to, and so takes a few nanoseconds. What
 * makes a compiled frame large is room for the arguments of the largest call in it; an interpreted one grows only while
 * that call is made. So the large call is made each time until the code must have been compiled, and from then on now and
 * then, for a compiler leaves out what it has never seen happen.
 */
final class StackReserve {

    private static final int FRAMES = 12;

    /** For so many checks of a stripe, what follows may be interpreted, with frames of a hundred bytes and more. */
    private static final int COLD_CHECKS = 20_000;

    private static final int COLD_FRAMES = 4 * FRAMES;

    /** Of so many later ones, one does; a power of two. */
    private static final int LARGE_CALL_EVERY = 512;

    /** So many counters for all threads, so far apart that no two share a cache line. They may lose counts. */
    private static final int STRIPES = 16;

    private static final int STRIDE = 32;
    private static final int[] CHECKS = new int[STRIPES * STRIDE];

    private StackReserve() {}

    /**
     * Checks that some thousand bytes are left, more than the engine needs from taking a lock or a permit to being
     * through with it.
     *
     * @throws StackOverflowError if not; nothing has been changed
     */
    static void require() {
        require(1);
    }

    /** As {@link #require}, but half as much: for giving back what was taken when there was enough. */
    static void requireToGiveBack() {
        require(2);
    }

    private static void require(int part) {
        int stripe = ((int) Thread.currentThread().threadId() & (STRIPES - 1)) * STRIDE;
        int checks = CHECKS[stripe] + 1;
        CHECKS[stripe] = checks;
        if (checks < COLD_CHECKS) {
            descend(COLD_FRAMES / (part * part), true);
        } else {
            descend(FRAMES / part, (checks & (LARGE_CALL_EVERY - 1)) == 0);
        }
    }

    private static long descend(int frames, boolean callLargely) {
        if (frames > 0) {
            return descend(frames - 1, callLargely) + 1;
        }
        if (callLargely) {
            return large(
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        }
        return 0;
    }

    /** Does nothing, in more code than would be inlined. */
    @SuppressWarnings("UnusedVariable") // they are there to be passed
    private static long large(
            long a0,
            long a1,
            long a2,
            long a3,
            long a4,
            long a5,
            long a6,
            long a7,
            long a8,
            long a9,
            long b0,
            long b1,
            long b2,
            long b3,
            long b4,
            long b5,
            long b6,
            long b7,
            long b8,
            long b9,
            long c0,
            long c1,
            long c2,
            long c3,
            long c4,
            long c5,
            long c6,
            long c7,
            long c8,
            long c9,
            long d0,
            long d1,
            long d2,
            long d3,
            long d4,
            long d5,
            long d6,
            long d7,
            long d8,
            long d9,
            long e0,
            long e1,
            long e2,
            long e3,
            long e4,
            long e5,
            long e6,
            long e7,
            long e8,
            long e9,
            long f0,
            long f1,
            long f2,
            long f3,
            long f4,
            long f5,
            long f6,
            long f7,
            long f8,
            long f9) {
        return a0 + a1 * b0 + b1 * c0 + c1 * d0 + d1 * e0 + e1 * f0 + f1 * a2 + b2 * c2 + d2 * e2 + f2 * a3 + b3 * c3;
    }
}
