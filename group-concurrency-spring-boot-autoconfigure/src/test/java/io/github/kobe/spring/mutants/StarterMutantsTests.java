package io.github.kobe.spring.mutants;

import io.github.kobe.testing.mutants.ModuleMutants;
import java.io.IOException;
import org.junit.jupiter.api.Tag;

@Tag("once")
class StarterMutantsTests extends ModuleMutants {

    StarterMutantsTests() throws IOException {
        super("");
    }
}
