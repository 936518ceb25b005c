package io.github.kobe.schedules;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Cancels and shutdowns interrupt code that is about to end: it is interrupted, or nobody is. */
final class InterruptsAndEnds extends Scenario {

    /** How a task ends. */
    private enum End {
        VALUE,
        NO_STAGE,
        FAILURE,
        DONE_STAGE,
        OPEN_STAGE
    }

    /** A task of the play: what happened to it. */
    private static final class Story {
        private final End end;
        private final CompletableFuture<String> stage = new CompletableFuture<>();
        private boolean begun;
        private boolean ended;
        /** Whether its code found itself interrupted at its end. */
        private boolean interrupted;
        /** How many are about to interrupt it. */
        private int interrupters;
        /** Whether one of those found it begun. */
        private boolean due;
        /** Whether it has to find itself interrupted. */
        private boolean mustBe;

        private boolean heard;
        private TaskHandle<String> handle;

        Story(End end) {
            this.end = end;
        }

        /** Somebody has interrupted it; another who does so at the same time may not have done so yet. */
        void interruptedBy(boolean thatCounts) {
            interrupters--;
            due |= thatCounts;
            mustBe |= interrupters == 0 && due && !ended;
        }
    }

    private final List<Story> stories = new ArrayList<>();

    InterruptsAndEnds(Simulation simulation, long seed) {
        super(simulation, seed);
    }

    @Override
    void begin() {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(1 + random.nextInt(2))
                .defaultMaxInFlightPerGroup(Integer.MAX_VALUE)
                .maxIdleGroups(random.nextInt(2));
        if (random.nextBoolean()) {
            policy.globalMaxInFlight(1 + random.nextInt(2));
        }
        start(policy.build(), false);
        executor.updatePolicy(executor.policy().toBuilder()
                .taskLifecycleListeners(List.of(listener()))
                .build());
        for (int i = 0; i < 2; i++) {
            Story story = new Story(End.values()[random.nextInt(End.values().length)]);
            stories.add(story);
            submitter(String.valueOf(i), story);
        }
        switch (random.nextInt(5)) {
            case 0 -> ender(() -> executor.shutdownGroup("key"));
            case 1 -> ender(() -> executor.shutdown());
            default -> {}
        }
    }

    private TaskLifecycleListener listener() {
        return new TaskLifecycleListener() {
            @Override
            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                if (!taskId.matches("[0-9]")) {
                    return; // not of the play: the audit's
                }
                stories.get(Integer.parseInt(taskId)).heard = true;
                for (int i = 0; i < 15; i++) {
                    if (Thread.currentThread().isInterrupted()) {
                        simulation.fail("I8: the listener of task " + taskId + " is interrupted", null);
                    }
                    Simulation.point("listening");
                }
            }
        };
    }

    private static void someSteps(SplittableRandom own) {
        for (int i = own.nextInt(12); i > 0; i--) {
            Simulation.point("a step");
        }
    }

    private void submitter(String id, Story story) {
        SplittableRandom own = random.split();
        actor("submitter", () -> {
            someSteps(own);
            SplittableRandom codes = own.split();
            try {
                story.handle = story.end == End.VALUE
                        ? executor.submit("key", id, () -> code(story, codes))
                        : executor.submitAsync("key", id, () -> stage(story, codes));
            } catch (ExecutorShutdownException shutDown) {
                story.heard = true; // there is nothing to hear
                return;
            }
            var unused = story.handle.toCompletableFuture().whenComplete((value, failure) -> {
                if (Thread.currentThread().isInterrupted()) {
                    simulation.fail("I8: what depends on task " + id + " is interrupted", null);
                }
            });
            canceller(story, own.split());
            canceller(story, own.split());
            SplittableRandom completers = own.split();
            actor("completer", () -> {
                someSteps(completers);
                story.stage.complete("done");
            });
        });
    }

    private void canceller(Story story, SplittableRandom own) {
        actor("canceller", () -> {
            someSteps(own);
            boolean begun = story.begun;
            story.interrupters++;
            story.interruptedBy(story.handle.cancel(true) && begun);
        });
    }

    private void ender(Act end) {
        SplittableRandom own = random.split();
        actor("ender", () -> {
            for (int i = 0; i < 3; i++) {
                someSteps(own);
            }
            List<Boolean> begun = stories.stream().map(story -> story.begun).toList();
            stories.forEach(story -> story.interrupters++);
            end.run();
            for (int i = 0; i < stories.size(); i++) {
                stories.get(i).interruptedBy(begun.get(i));
            }
        });
    }

    private static String code(Story story, SplittableRandom own) {
        story.begun = true;
        someSteps(own);
        someSteps(own);
        story.ended = true;
        story.interrupted = Thread.currentThread().isInterrupted();
        return "value";
    }

    private static CompletionStage<String> stage(Story story, SplittableRandom own) {
        code(story, own);
        return switch (story.end) {
            case VALUE -> throw new AssertionError("not asynchronous");
            case NO_STAGE -> null;
            case FAILURE -> throw new IllegalStateException("meant");
            case DONE_STAGE -> CompletableFuture.completedFuture("done");
            case OPEN_STAGE -> story.stage;
        };
    }

    @Override
    void check() {
        for (Story story : stories) {
            if (story.mustBe && !story.interrupted) {
                simulation.fail("an interrupt was lost to the code", null);
            }
            if (!story.heard || (story.handle != null && !story.handle.isDone())) {
                simulation.fail("a task is not done, or nobody heard of it", null);
            }
        }
    }
}
