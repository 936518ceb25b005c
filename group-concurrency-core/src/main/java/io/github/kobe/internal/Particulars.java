package io.github.kobe.internal;

/**
 * What a hold knows about itself, apart from its thread.
 *
 * @param id its task id; empty: it has none
 * @param since its start on the engine's clock; 0: no clock was read
 */
record Particulars(String id, long since) {

    static final Particulars NONE = new Particulars("", 0);
}
