package io.github.kobe.spring.mutants;

import io.github.kobe.mutants.ModuleMutants;
import org.junit.jupiter.api.Tag;

@Tag("once")
class StarterMutantsTests extends ModuleMutants {}
