package io.github.kobe.internal.permits;

/**
 * Which of a hold's three permits are taken, returned or lent together: a concurrency permit, an in-flight one, and the
 * global one behind that.
 */
public enum Piece {
    ALL(1, 1, 1),
    /** The permits of the group; the global one is shared, and stays out. */
    ALL_BUT_GLOBAL(1, 1, 0),
    /** What an asynchronous task gives back when its callable has returned. */
    CONCURRENCY(1, 0, 0),
    /** What an asynchronous task gives back when its stage has completed. */
    FLIGHT(0, 1, 1),
    /** As {@link #FLIGHT}, of a task that shares a global permit, which stays out. */
    FLIGHT_BUT_GLOBAL(0, 1, 0),
    /** What was shared, after the last that shared it. */
    GLOBAL(0, 0, 1);

    public final int concurrency;
    public final int inFlight;
    private final int global;

    Piece(int concurrency, int inFlight, int global) {
        this.concurrency = concurrency;
        this.inFlight = inFlight;
        this.global = global;
    }

    /** {@return what goes back with all permits of the group} */
    public static Piece all(boolean global) {
        return global ? ALL : ALL_BUT_GLOBAL;
    }

    /** {@return this, if the global permit stays out} */
    public Piece butGlobal() {
        return switch (this) {
            case ALL -> ALL_BUT_GLOBAL;
            case FLIGHT -> FLIGHT_BUT_GLOBAL;
            default -> throw new AssertionError("nothing in flight goes back: " + this);
        };
    }

    public boolean isGlobal() {
        return global != 0;
    }

    /** {@return by how much {@link GroupState#nested} rises when it is taken} */
    int nested() {
        return inFlight - global;
    }

    /** {@return it as {@link FreePermits#tryGiveBack} has it} */
    long word() {
        return concurrency * FreePermits.ONE_CONCURRENCY + inFlight * FreePermits.ONE_IN_FLIGHT;
    }
}
