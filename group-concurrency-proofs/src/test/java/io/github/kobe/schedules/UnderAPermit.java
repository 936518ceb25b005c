package io.github.kobe.schedules;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

/**
 * Several threads use one permit, or what a call shares, under a global limit of 1: they go inside, ask for more under it,
 * submit tasks, one of them waits for a task, and somebody closes it meanwhile. Others compete for the global permit.
 */
final class UnderAPermit extends Scenario {

    private static final String HELD = "held";
    private static final String WANTED = "wanted";

    private final boolean shutsDown = random.nextInt(6) == 0;

    /** How many are at work on what the permit gave them, and how many on a global permit of their own. */
    private int insiders;

    private int competitors;

    /** How many are at work in the group of a limit of 1 that both ask for. */
    private int wanted;

    UnderAPermit(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        start(
                GroupPolicy.builder()
                        .globalMaxInFlight(random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1)
                        .build(),
                false);
        boolean limited = executor.policy().globalMaxInFlight() == 1;
        SplittableRandom taking = random.split();
        actor("owner", () -> own(limited, taking));
        for (int i = random.nextInt(3); i > 0; i--) {
            SplittableRandom own = random.split();
            String key = own.nextBoolean() ? WANTED : "other";
            actor(
                    "competitor",
                    () -> ifLetIn(() -> {
                        someSteps(own);
                        executor.call(key, () -> compete(key, limited, own));
                    }));
        }
        if (shutsDown) {
            SplittableRandom own = random.split();
            actor("end", () -> {
                someSteps(own);
                someSteps(own);
                executor.shutdown();
            });
        }
    }

    private void own(boolean limited, SplittableRandom own) throws Exception {
        ifLetIn(() -> {
            GroupPermit permit;
            if (own.nextBoolean()) {
                permit = executor.acquire(HELD);
                startUsers(permit, limited, own);
            } else {
                permit = executor.call(HELD, () -> {
                    GroupPermit shared = executor.enclosingPermit(HELD).orElseThrow();
                    startUsers(shared, limited, own);
                    someSteps(own);
                    return shared;
                });
            }
            someSteps(own);
            if (own.nextBoolean()) {
                someSteps(own);
                someSteps(own);
            }
            permit.close();
        });
    }

    private void startUsers(GroupPermit permit, boolean limited, SplittableRandom own) {
        int users = 1 + own.nextInt(3);
        for (int i = 0; i < users; i++) {
            SplittableRandom using = own.split();
            boolean waits = i == 0 && using.nextBoolean();
            actor(
                    "user",
                    () -> ifLetIn(() -> {
                        someSteps(using);
                        if (waits) {
                            await(permit, limited, using);
                        } else {
                            use(permit, limited, using);
                        }
                    }));
        }
    }

    /** Does what is refused once the permit is closed, or the executor shut down. */
    private static void ifLetIn(Act act) throws Exception {
        try {
            act.run();
        } catch (IllegalStateException | RejectedExecutionException refused) {
            // As it may be.
        }
    }

    private void await(GroupPermit permit, boolean limited, SplittableRandom own) throws Exception {
        String key = own.nextBoolean() ? HELD : WANTED;
        witness.mayLendUnseen(key);
        SplittableRandom borrowing = own.split();
        boolean leaves = own.nextBoolean();
        permit.call(() -> {
            TaskHandle<String> task = executor.submit(key, "borrower", () -> work(key, limited, borrowing));
            if (leaves) {
                permit.close(); // and is alone in it, or becomes so
            }
            return task.join();
        });
    }

    private void use(GroupPermit permit, boolean limited, SplittableRandom own) throws Exception {
        switch (own.nextInt(5)) {
            case 0 -> permit.call(() -> work(HELD, limited, own));
            case 1 -> permit.call(() -> executor.call(WANTED, () -> work(WANTED, limited, own)));
            case 2 -> {
                CompletionStage<GroupPermit> asked = permit.acquireAsync(own.nextInt(4) == 0 ? HELD : WANTED);
                CompletableFuture<GroupPermit> future = asked.toCompletableFuture();
                if (own.nextInt(4) == 0) {
                    someSteps(own);
                    future.cancel(false);
                }
                var unused = asked.whenComplete((granted, refused) -> {
                    if (granted != null) {
                        work(granted.groupKey(), limited, own);
                        granted.close();
                    }
                });
            }
            case 3 -> {
                TaskHandle<String> task =
                        permit.call(() -> executor.submit(WANTED, "task", () -> compete(WANTED, limited, own)));
                if (own.nextInt(4) == 0) {
                    someSteps(own);
                    task.cancel(own.nextBoolean());
                }
            }
            default ->
                permit.call(() -> executor.submitAsync(
                        "third", "stage", () -> CompletableFuture.completedStage(compete("third", limited, own))));
        }
    }

    private String work(String key, boolean limited, SplittableRandom own) {
        insiders++;
        enter(key);
        require(!limited || competitors == 0);
        someSteps(own);
        leave(key);
        insiders--;
        return "done";
    }

    private String compete(String key, boolean limited, SplittableRandom own) {
        competitors++;
        enter(key);
        require(!limited || competitors + insiders == 1);
        someSteps(own);
        leave(key);
        competitors--;
        return "done";
    }

    private void enter(String key) {
        wanted += key.equals(WANTED) ? 1 : 0;
        require(wanted <= 1);
    }

    private void leave(String key) {
        wanted -= key.equals(WANTED) ? 1 : 0;
    }

    private void require(boolean within) {
        if (!within) {
            simulation.fail("I1: more are at work than a limit allows", null);
        }
    }

    private static void someSteps(SplittableRandom own) {
        for (int i = own.nextInt(12); i > 0; i--) {
            Simulation.point("a step");
        }
    }
}
