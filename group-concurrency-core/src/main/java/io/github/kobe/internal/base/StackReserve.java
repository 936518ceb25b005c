package io.github.kobe.internal.base;

/**
 * Makes sure, before anything is changed, that enough of the stack is left for what follows. So a
 * {@link StackOverflowError} comes at once, and not while a lock is held or a permit is being passed on.
 *
 * <p>It calls itself a few times in frames that are large but hardly written to, and so takes a few nanoseconds. What
 * makes a compiled frame large is room for the arguments of the largest call in it; an interpreted one grows only while
 * that call is made. So the large call is made each time until the code must have been compiled. A compiler leaves out
 * what it has never seen happen; this it has seen, and keeps.
 */
public final class StackReserve {

    /** Besides the first. About 2,000 bytes each when compiled: 250 arguments of 8 bytes, a few of them in registers. */
    private static final int FRAMES = 1;

    private static final int FRAMES_TO_GIVE_BACK = 0;

    /** For so many checks, what follows may be interpreted, with frames of a hundred bytes and more. */
    private static final int COLD_CHECKS = 50_000;

    private static final int COLD_FRAMES = 12;
    private static final int COLD_FRAMES_TO_GIVE_BACK = 4;

    /** How many checks are left until the code counts as compiled. Threads may lose each other's counts. */
    private static int coldChecks = COLD_CHECKS;

    private StackReserve() {}

    /**
     * Checks that some thousand bytes are left, more than the engine needs from taking a lock or a permit to being
     * through with it.
     *
     * @throws StackOverflowError if not; nothing has been changed
     */
    public static void require() {
        if (coldChecks > 0) {
            coldChecks--;
            descend(COLD_FRAMES, true);
        } else {
            descend(FRAMES, false);
        }
    }

    /** As {@link #require}, but half as much: for giving back what was taken when there was enough. */
    public static void requireToGiveBack() {
        if (coldChecks > 0) {
            coldChecks--;
            descend(COLD_FRAMES_TO_GIVE_BACK, true);
        } else {
            descend(FRAMES_TO_GIVE_BACK, false);
        }
    }

    /** Has more code than would be inlined (-XX:FreqInlineSize), so each call of it has a frame of its own. */
    private static int descend(int frames, boolean callLargely) {
        if (frames > 0) {
            return descend(frames - 1, callLargely) + 1;
        }
        if (callLargely) {
            return large(
                    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9);
        }
        return 0;
    }

    /** Does nothing, in more code than would be inlined. */
    @SuppressWarnings("UnusedVariable") // they are there to be passed
    private static int large(
            int a0,
            int a1,
            int a2,
            int a3,
            int a4,
            int a5,
            int a6,
            int a7,
            int a8,
            int a9,
            int b0,
            int b1,
            int b2,
            int b3,
            int b4,
            int b5,
            int b6,
            int b7,
            int b8,
            int b9,
            int c0,
            int c1,
            int c2,
            int c3,
            int c4,
            int c5,
            int c6,
            int c7,
            int c8,
            int c9,
            int d0,
            int d1,
            int d2,
            int d3,
            int d4,
            int d5,
            int d6,
            int d7,
            int d8,
            int d9,
            int e0,
            int e1,
            int e2,
            int e3,
            int e4,
            int e5,
            int e6,
            int e7,
            int e8,
            int e9,
            int f0,
            int f1,
            int f2,
            int f3,
            int f4,
            int f5,
            int f6,
            int f7,
            int f8,
            int f9,
            int g0,
            int g1,
            int g2,
            int g3,
            int g4,
            int g5,
            int g6,
            int g7,
            int g8,
            int g9,
            int h0,
            int h1,
            int h2,
            int h3,
            int h4,
            int h5,
            int h6,
            int h7,
            int h8,
            int h9,
            int i0,
            int i1,
            int i2,
            int i3,
            int i4,
            int i5,
            int i6,
            int i7,
            int i8,
            int i9,
            int j0,
            int j1,
            int j2,
            int j3,
            int j4,
            int j5,
            int j6,
            int j7,
            int j8,
            int j9,
            int k0,
            int k1,
            int k2,
            int k3,
            int k4,
            int k5,
            int k6,
            int k7,
            int k8,
            int k9,
            int l0,
            int l1,
            int l2,
            int l3,
            int l4,
            int l5,
            int l6,
            int l7,
            int l8,
            int l9,
            int m0,
            int m1,
            int m2,
            int m3,
            int m4,
            int m5,
            int m6,
            int m7,
            int m8,
            int m9,
            int n0,
            int n1,
            int n2,
            int n3,
            int n4,
            int n5,
            int n6,
            int n7,
            int n8,
            int n9,
            int o0,
            int o1,
            int o2,
            int o3,
            int o4,
            int o5,
            int o6,
            int o7,
            int o8,
            int o9,
            int p0,
            int p1,
            int p2,
            int p3,
            int p4,
            int p5,
            int p6,
            int p7,
            int p8,
            int p9,
            int q0,
            int q1,
            int q2,
            int q3,
            int q4,
            int q5,
            int q6,
            int q7,
            int q8,
            int q9,
            int r0,
            int r1,
            int r2,
            int r3,
            int r4,
            int r5,
            int r6,
            int r7,
            int r8,
            int r9,
            int s0,
            int s1,
            int s2,
            int s3,
            int s4,
            int s5,
            int s6,
            int s7,
            int s8,
            int s9,
            int t0,
            int t1,
            int t2,
            int t3,
            int t4,
            int t5,
            int t6,
            int t7,
            int t8,
            int t9,
            int u0,
            int u1,
            int u2,
            int u3,
            int u4,
            int u5,
            int u6,
            int u7,
            int u8,
            int u9,
            int v0,
            int v1,
            int v2,
            int v3,
            int v4,
            int v5,
            int v6,
            int v7,
            int v8,
            int v9,
            int w0,
            int w1,
            int w2,
            int w3,
            int w4,
            int w5,
            int w6,
            int w7,
            int w8,
            int w9,
            int x0,
            int x1,
            int x2,
            int x3,
            int x4,
            int x5,
            int x6,
            int x7,
            int x8,
            int x9,
            int y0,
            int y1,
            int y2,
            int y3,
            int y4,
            int y5,
            int y6,
            int y7,
            int y8,
            int y9) {
        return a0 * a1 + a2 * a3 + a4 * a5 + a6 * a7 + a8 * a9 + b0 * b1 + b2 * b3 + b4 * b5 + b6 * b7 + b8 * b9
                + c0 * c1 + c2 * c3 + c4 * c5 + c6 * c7 + c8 * c9 + d0 * d1 + d2 * d3 + d4 * d5 + d6 * d7 + d8 * d9;
    }
}
