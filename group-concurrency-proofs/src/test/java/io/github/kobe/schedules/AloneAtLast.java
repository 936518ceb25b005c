package io.github.kobe.schedules;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A thread waits inside a permit for a task that only the permit keeps from starting. Others touch the permit in that
 * instant, and none of them stays at work on it: so the task starts.
 */
final class AloneAtLast extends Scenario {

    private static final String HELD = "held";
    private static final String WANTED = "wanted";

    /** Whether a call that has shared its permit ends in the instant in which another goes inside. */
    private final boolean closesVersusShares;

    AloneAtLast(Simulation simulation, long seed, boolean closesVersusShares) {
        super(simulation, seed);
        this.closesVersusShares = closesVersusShares;
    }

    @Override
    void begin() {
        int limit = random.nextInt(4);
        start(
                GroupPolicy.builder()
                        .globalMaxInFlight(limit == 0 ? Integer.MAX_VALUE : 1 + limit)
                        .build(),
                false);
        SplittableRandom own = random.split();
        witness.mayLendUnseen(HELD);
        actor("owner", () -> own(own));
    }

    private void own(SplittableRandom own) throws Exception {
        // What is granted to others is kept until the lender is back.
        CompletableFuture<Void> over = new CompletableFuture<>();
        GroupPermit permit;
        if (closesVersusShares || own.nextBoolean()) {
            permit = executor.call(HELD, () -> {
                GroupPermit shared = executor.enclosingPermit(HELD).orElseThrow();
                startOthers(shared, over, own);
                fewSteps(own);
                return shared;
            });
        } else {
            permit = executor.acquire(HELD);
            startOthers(permit, over, own);
        }
        someSteps(own);
        permit.close();
    }

    private void startOthers(GroupPermit permit, CompletableFuture<Void> over, SplittableRandom own) throws Exception {
        actor(
                "lender",
                () -> ifOpen(() -> {
                    try {
                        permit.call(() ->
                                executor.submit(HELD, "task", () -> "done").join());
                    } finally {
                        over.complete(null);
                    }
                }));
        SplittableRandom others = own.split();
        if (closesVersusShares) {
            actor("asker", () -> ask(permit, over));
            return;
        }
        switch (own.nextInt(3)) {
            case 0 ->
                actor("asker", () -> {
                    someSteps(others);
                    ask(permit, over);
                });
            case 1 -> cancelARequest(permit, others);
            default -> {
                cancelARequest(permit, others);
                SplittableRandom entering = own.split();
                actor(
                        "entering",
                        () -> ifOpen(() -> permit.call(() -> {
                            someSteps(entering);
                            return null;
                        })));
            }
        }
    }

    private static void ask(GroupPermit permit, CompletableFuture<Void> over) throws Exception {
        ifOpen(() -> {
            CompletionStage<GroupPermit> asked = permit.acquireAsync(WANTED);
            var unused = asked.thenAcceptBoth(over, (granted, done) -> granted.close());
        });
    }

    /** Has a request that shares the global permit cancelled while it is granted. */
    private void cancelARequest(GroupPermit permit, SplittableRandom own) {
        GroupPermit inTheWay =
                executor.acquireAsync(WANTED).toCompletableFuture().getNow(null);
        CompletableFuture<GroupPermit> request = permit.acquireAsync(WANTED).toCompletableFuture();
        var unused = request.thenAccept(GroupPermit::close);
        SplittableRandom closing = own.split();
        actor("closer", () -> {
            someSteps(closing);
            if (inTheWay != null) {
                inTheWay.close();
            }
        });
        actor("canceller", () -> {
            someSteps(own);
            request.cancel(false);
        });
    }

    private static void ifOpen(Act act) throws Exception {
        try {
            act.run();
        } catch (IllegalStateException closed) {
            // As it may be.
        }
    }

    private static void fewSteps(SplittableRandom own) {
        for (int i = own.nextInt(4); i > 0; i--) {
            Simulation.point("a step");
        }
    }

    private static void someSteps(SplittableRandom own) {
        for (int i = own.nextInt(12); i > 0; i--) {
            Simulation.point("a step");
        }
    }
}
