package io.github.kobe.internal.work;

import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.SharedGlobal;

/** A thread inside a permit that was handed to it: it keeps that permit out, and has none of its own. */
public final class Inside extends Hold {

    /** What it is inside of, kept for this. */
    public final OpenablePermit entered;

    /**
     * @param entered kept for this
     * @param shared the global permit that it joins
     */
    public Inside(OpenablePermit entered, SharedGlobal shared) {
        super(entered.hold().group, shared);
        this.entered = entered;
    }

    @Override
    public boolean isInside() {
        return true;
    }

    @Override
    public void ended() {
        entered.release();
    }

    @Override
    public Hold real() {
        return entered.hold();
    }
}
