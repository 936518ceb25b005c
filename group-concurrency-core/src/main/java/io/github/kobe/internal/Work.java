package io.github.kobe.internal;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What work of all groups needs: permits that are out and lent, threads, and a way to be stopped. */
@SuppressWarnings("ReferenceEquality") // identity is meant
abstract class Work extends Groups {

    /** Interrupts what runs, of any group: made before it is needed, when there may be no memory for it. */
    private static final Consumer<Hold> INTERRUPTION = Work::interrupt;

    final Holds holds = new Holds();
    final Lending lending;
    final Releases releases;
    final Rejections rejections;
    final Dispatcher dispatcher;

    Work(CompiledPolicy policy, Environment environment) {
        this(policy, environment, new ListedOffers());
    }

    private Work(CompiledPolicy policy, Environment environment, ListedOffers listed) {
        super(policy, environment, listed);
        lending = new Lending(this, holds, listed);
        releases = new Releases(this, holds, lending);
        rejections = new Rejections(this);
        dispatcher = new Dispatcher(this);
    }

    /** {@return the engine of {@code group}, as work sees it} */
    static Work of(Group group) {
        return (Work) group.engine; // no group has another
    }

    /** {@return what a permit does} */
    abstract Opener opener();

    /** {@return whether the current thread runs under a permit of any group} */
    final boolean isUnderPermit() {
        return holds.topOpen(Thread.currentThread()) != null;
    }

    // ---- what groups need of lending

    @Override
    final LocalLending newLending(Group group) {
        return lending.newIn(group);
    }

    @Override
    final void queued(Node node, Group group) {
        lending.queued(node, group);
    }

    @Override
    final void lookForOffers(Group group) {
        lending.registerAll(group);
    }

    @Override
    final void forgetLeftBehind() {
        holds.forgetLeftBehind();
    }

    // ---- to stop it

    /** {@return what interrupts the runs of {@code group}} Made before anything is stopped, while there is memory for it. */
    final Consumer<Hold> interruptionOf(Group group) {
        return hold -> {
            if (hold.group == group) {
                interrupt(hold);
            }
        };
    }

    /** Interrupts what runs and cancels open stages of one group. */
    final void interruptRuns(Group group, Consumer<Hold> interruption) {
        holds.forEachOpen(interruption);
        cancelStages(group);
    }

    /**
     * Interrupts what runs in all groups. It needs no memory, but for runs that are in the map of {@link Holds}.
     *
     * @return whether there was memory for all of it
     */
    final boolean interruptAllRuns() {
        try {
            holds.forEachOpen(INTERRUPTION);
            return true;
        } catch (OutOfMemoryError oom) {
            return false;
        }
    }

    private static void interrupt(Hold hold) {
        if (hold instanceof Run run) {
            run.interrupt();
        }
    }

    final void cancelStages(Group group) {
        group.unbound.forEach(entry -> {
            if (entry instanceof OpenStage stage) {
                report(new Report() {
                    @Override
                    public void run() {
                        stage.run.task.cancel(true);
                    }
                });
            }
        });
    }
}
