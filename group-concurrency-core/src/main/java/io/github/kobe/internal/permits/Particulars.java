package io.github.kobe.internal.permits;

/**
 * What a hold knows about itself, apart from its thread.
 *
 * @param id its task id; empty: it has none
 * @param since its start on the engine's clock; 0: no clock was read
 */
public record Particulars(String id, long since) {

    public static final Particulars NONE = new Particulars("", 0);
}
