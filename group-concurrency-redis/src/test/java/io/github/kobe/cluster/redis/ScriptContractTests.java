package io.github.kobe.cluster.redis;

import io.github.kobe.cluster.ClusterStoreContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The script does what every store does. */
@Tag("deep")
@Tag("CL45")
@Tag("CL70")
@ExtendWith(OneServer.class)
class ScriptContractTests extends ClusterStoreContract {

    ScriptContractTests() {
        super(ScriptScene.on(OneServer.connection()));
    }
}
