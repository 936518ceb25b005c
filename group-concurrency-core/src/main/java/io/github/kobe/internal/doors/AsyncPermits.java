package io.github.kobe.internal.doors;

import io.github.kobe.Costs;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Rejection;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Group.Verdict;
import io.github.kobe.internal.permits.SharedGlobal;
import io.github.kobe.internal.work.PermitFuture;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Permits that no thread waits for. */
public final class AsyncPermits {

    private final Engine engine;

    AsyncPermits(Engine engine) {
        this.engine = engine;
    }

    public CompletionStage<GroupPermit> ask(String key, String id, @Nullable Duration maxWait, Costs costs) {
        engine.requireAdmits();
        StackReserve.require();
        return ask(key, id, EffectiveLimits.saturatedNanos(maxWait), null, costs);
    }

    /** Asks for a permit that is nobody's; {@code shared} is the global permit that it may share, if there is one. */
    CompletionStage<GroupPermit> ask(
            String key, String id, long maxWaitNanos, @Nullable SharedGlobal shared, Costs said) {
        Costs costs = said.areUnsaid() ? null : said;
        TaskTrace trace = engine.reports.submitted(key, id);
        for (; ; ) {
            Group group = engine.group(key);
            if (costs != null) {
                group.tellOfUnknown(costs);
            }
            PermitFuture node = new PermitFuture(group, id, maxWaitNanos, trace, shared, costs);
            long taken =
                    shared == null ? group.tryTakeFast(group.home) : group.tryTakeNested(shared, SharedGlobal.UNBOUND);
            if (taken != Group.NOT_TAKEN) {
                boolean unused = node.grant(null, shared != null, null);
                node.handOut(taken);
                return node.future();
            }
            Batch batch = new Batch(engine);
            Verdict verdict = group.admit(node, null, maxWaitNanos, batch);
            batch.carryOut();
            switch (verdict) {
                case GRANTED -> node.handOut(0);
                case QUEUED -> {}
                case REJECTED, SHUT_DOWN -> node.reject(refusal(batch, group));
                case DEAD -> {
                    engine.forget(group);
                    continue;
                }
            }
            return node.future();
        }
    }

    /** {@return why a group has not let in who asked; its recorder hears it here} */
    static Rejection refusal(Batch batch, Group group) {
        Rejection rejection = batch.rejection;
        group.record.rejected(rejection != null ? rejection.reason() : RejectionReason.SHUTDOWN);
        return rejection != null ? rejection : group.rejection(RejectionReason.SHUTDOWN);
    }
}
