package io.github.kobe.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.kobe.testing.HouseRules;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class ArchitectureTests {

    private static final JavaClasses PROOFS = HouseRules.testClassesBeside(ArchitectureTests.class);

    @Test
    void proofsNeverSleep() {
        HouseRules.nothingSleeps().check(PROOFS);
    }

    @Test
    void proofsNeverWaitForEver() {
        HouseRules.nothingWaitsForEver().check(PROOFS);
    }

    @Test
    void classesAreNamedByDomainNouns() {
        HouseRules.namesAreDomainNouns().check(PROOFS);
    }
}
