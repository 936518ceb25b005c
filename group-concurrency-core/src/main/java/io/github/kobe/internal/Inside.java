package io.github.kobe.internal;

/** A thread inside a permit that was handed to it: it keeps that permit out, and has none of its own. */
final class Inside extends Hold {

    /** What it is inside of, kept for this. */
    final OpenablePermit entered;

    /**
     * @param entered kept for this
     * @param shared the global permit that it joins
     */
    Inside(OpenablePermit entered, SharedGlobal shared) {
        super(entered.hold().group, shared);
        this.entered = entered;
    }

    @Override
    boolean isInside() {
        return true;
    }

    @Override
    void ended() {
        entered.release();
    }

    @Override
    Hold real() {
        return entered.hold();
    }
}
