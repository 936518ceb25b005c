package io.github.kobe.rollout.mutants;

import io.github.kobe.testing.mutants.ModuleMutants;
import java.io.IOException;

class RolloutMutantsTests extends ModuleMutants {

    RolloutMutantsTests() throws IOException {
        super("");
    }
}
