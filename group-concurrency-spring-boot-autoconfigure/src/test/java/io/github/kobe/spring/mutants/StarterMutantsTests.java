package io.github.kobe.spring.mutants;

import io.github.kobe.mutants.ModuleMutants;

class StarterMutantsTests extends ModuleMutants {}
