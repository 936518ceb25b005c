package io.github.kobe.internal.work;

import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.Environment;
import io.github.kobe.internal.base.Report;
import io.github.kobe.internal.lending.Lending;
import io.github.kobe.internal.lending.ListedOffers;
import io.github.kobe.internal.lending.Returns;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Groups;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.LocalLending;
import io.github.kobe.internal.permits.Node;
import io.github.kobe.internal.permits.Releases;
import java.util.function.Consumer;

/** What work of all groups needs: permits that are out and lent, threads, and a way to be stopped. */
@SuppressWarnings("ReferenceEquality") // identity is meant
public abstract class Work extends Groups {

    /** Interrupts what runs, of any group: made before it is needed, when there may be no memory for it. */
    private static final Consumer<Hold> INTERRUPTION = Work::interrupt;

    public final Holds holds = new Holds();
    public final Lending lending;
    public final Returns returns;
    public final Releases releases;
    public final Rejections rejections;
    public final Dispatcher dispatcher;

    public Work(CompiledPolicy policy, Environment environment, ClusterSignals cluster) {
        this(policy, environment, cluster, new ListedOffers());
    }

    private Work(CompiledPolicy policy, Environment environment, ClusterSignals cluster, ListedOffers listed) {
        super(policy, environment, cluster, listed);
        lending = new Lending(this, holds, listed);
        returns = new Returns(this, lending);
        releases = new Releases(this, holds, returns);
        rejections = new Rejections(this);
        dispatcher = new Dispatcher(this);
    }

    /** {@return the engine of {@code group}, as work sees it} */
    static Work of(Group group) {
        return (Work) group.engine; // no group has another
    }

    /** {@return what a permit does} */
    public abstract Opener opener();

    /** {@return whether the current thread runs under a permit of any group} */
    public final boolean isUnderPermit() {
        return holds.topOpen(Thread.currentThread()) != null;
    }

    // ---- what groups need of lending

    @Override
    public final LocalLending newLending(Group group) {
        return lending.newIn(group);
    }

    @Override
    public final void queued(Node node, Group group) {
        lending.queued(node, group);
    }

    @Override
    public final void lookForOffers(Group group) {
        lending.registerAll(group);
    }

    @Override
    public final void forgetLeftBehind() {
        holds.forgetLeftBehind();
    }

    // ---- to stop it

    /** {@return what interrupts the runs of {@code group}} Made before anything is stopped, while there is memory for it. */
    public final Consumer<Hold> interruptionOf(Group group) {
        return hold -> {
            if (hold.group == group) {
                interrupt(hold);
            }
        };
    }

    /** Interrupts what runs and cancels open stages of one group. */
    public final void interruptRuns(Group group, Consumer<Hold> interruption) {
        holds.forEachOpen(interruption);
        cancelStages(group);
    }

    /**
     * Interrupts what runs in all groups. It needs no memory, but for runs that are in the map of {@link Holds}.
     *
     * @return whether there was memory for all of it
     */
    public final boolean interruptAllRuns() {
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

    public final void cancelStages(Group group) {
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
