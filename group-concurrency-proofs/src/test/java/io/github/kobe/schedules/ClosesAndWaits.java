package io.github.kobe.schedules;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Others close the permits of a thread while that goes into one more group, or waits for a task, under a global limit of 1:
 * one of what is left stands for its global permit, or it waits for one like everybody else.
 */
final class ClosesAndWaits extends Scenario {

    /** What is asked for by all. */
    private static final String WANTED = "wanted";

    /** How many are in code that has a global permit; of the owner only where it asked for more than it had. */
    private int inside;

    ClosesAndWaits(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        start(GroupPolicy.builder().globalMaxInFlight(1).build(), false);
        SplittableRandom own = random.split();
        actor("owner", () -> own(own));
        for (int i = random.nextInt(3); i > 0; i--) {
            SplittableRandom competing = random.split();
            String key = random.nextBoolean() ? WANTED : "other";
            actor("competitor", () -> {
                someSteps(competing);
                executor.call(key, () -> code(competing));
            });
        }
    }

    private void own(SplittableRandom own) throws Exception {
        List<GroupPermit> left = new ArrayList<>();
        for (int i = own.nextInt(3); i >= 0; i--) {
            GroupPermit permit = executor.acquire("held " + i);
            if (own.nextInt(4) == 0) {
                left.add(permit);
            } else {
                SplittableRandom closing = own.split();
                actor("closer", () -> {
                    someSteps(closing);
                    permit.close();
                });
            }
            if (own.nextInt(4) == 0) {
                someSteps(own);
            }
        }
        if (own.nextBoolean()) {
            executor.call(WANTED, () -> code(own));
        } else {
            // Of a group in which it may be inside, or not.
            String key = own.nextBoolean() ? WANTED : "held 0";
            witness.mayLendUnseen(key);
            SplittableRandom borrowing = own.split();
            executor.submit(key, "borrower", () -> code(borrowing)).join();
        }
        left.forEach(GroupPermit::close);
    }

    private String code(SplittableRandom own) {
        inside++;
        if (inside > 1) {
            simulation.fail("I1: more are inside than the global limit allows", null);
        }
        someSteps(own);
        inside--;
        return "done";
    }

    private static void someSteps(SplittableRandom own) {
        for (int i = own.nextInt(12); i > 0; i--) {
            Simulation.point("a step");
        }
    }
}
