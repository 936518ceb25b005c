package io.github.kobe.cluster;

/** The store in memory does what every store does. */
class InMemoryContractTests extends ClusterStoreContract {

    InMemoryContractTests() {
        super(StoreScene.inMemory());
    }
}
