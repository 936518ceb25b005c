package io.github.kobe.cluster;

import org.junit.jupiter.api.Nested;

/**
 * What every store does, whatever it is made of. A store's tests extend it, and give it scenes whose clock and identity a test
 * can set.
 */
public abstract class ClusterStoreContract {

    private final StoreScene.Maker maker;

    /**
     * Takes who makes scenes.
     *
     * @param maker makes scenes on the kind of store to test
     */
    protected ClusterStoreContract(StoreScene.Maker maker) {
        this.maker = maker;
    }

    @Nested
    class Sessions extends SessionCases {
        Sessions() {
            super(maker);
        }
    }

    @Nested
    class Line extends LineCases {
        Line() {
            super(maker);
        }
    }

    @Nested
    class Hints extends HintCases {
        Hints() {
            super(maker);
        }
    }

    @Nested
    class Clock extends ClockCases {
        Clock() {
            super(maker);
        }
    }

    @Nested
    class Epochs extends EpochCases {
        Epochs() {
            super(maker);
        }
    }

    @Nested
    class Shown extends LookCases {
        Shown() {
            super(maker);
        }
    }
}
