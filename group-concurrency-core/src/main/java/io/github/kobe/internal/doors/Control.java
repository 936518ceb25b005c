package io.github.kobe.internal.doors;

import io.github.kobe.GroupLimits;
import io.github.kobe.internal.base.Answer;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Report;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Eviction;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Hold;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Changes while the executor runs: limits, pauses, the policy, evictions, group shutdowns. Nothing here blocks. */
public final class Control {

    /** No end. */
    private static final long NEVER = Long.MAX_VALUE;

    private final Engine engine;

    Control(Engine engine) {
        this.engine = engine;
    }

    public void setLimits(String key, GroupLimits limits, Duration period) {
        if (limits.equals(GroupLimits.unset())) {
            resetLimits(key);
        } else {
            try (Lasting lasting = new Lasting(key, period)) {
                change(key, true, (group, batch) -> override(group, limits, lasting.ends, batch));
            }
        }
    }

    public Optional<GroupLimits> overrideOf(String key) {
        return Optional.ofNullable(engine.groupIfKnown(key)).map(Group::currentOverride);
    }

    public void updateLimits(String key, UnaryOperator<GroupLimits> update, Duration period) {
        StackReserve.require();
        try (Lasting lasting = new Lasting(key, period)) {
            boolean done = false;
            while (!done) {
                GroupLimits before = overrideOf(key).orElse(GroupLimits.unset());
                GroupLimits after = update.apply(before);
                boolean nothing = orNull(before) == null && orNull(after) == null;
                done = nothing || replace(key, orNull(before), orNull(after), lasting.ends);
            }
        }
    }

    private static @Nullable GroupLimits orNull(GroupLimits limits) {
        return limits.equals(GroupLimits.unset()) ? null : limits;
    }

    /** Replaces an override, unless it is another one by now, or gone with its group; then it returns false. */
    private boolean replace(String key, @Nullable GroupLimits before, @Nullable GroupLimits after, long ends) {
        Group group = after != null ? engine.group(key) : engine.groupIfKnown(key);
        if (group == null) {
            return false;
        }
        boolean replaced = tryChange(group, (changed, batch) -> replaceOverride(changed, before, after, ends, batch));
        if (!replaced && group.isDead()) {
            engine.forget(group);
        }
        return replaced;
    }

    public void resetLimits(String key) {
        change(key, false, (group, batch) -> override(group, null, NEVER, batch));
    }

    public void pause(String key, Duration period) {
        try (Lasting lasting = new Lasting(key, period)) {
            change(
                    key,
                    true,
                    (group, batch) -> group.change(state -> state.setPaused(true, lasting.ends, batch), batch));
        }
    }

    public void resume(String key) {
        change(key, false, (group, batch) -> group.change(state -> state.setPaused(false, NEVER, batch), batch));
    }

    private boolean override(Group group, @Nullable GroupLimits limits, long ends, Batch batch) {
        EffectiveLimits base = engine.table.resolve(engine.policy, group);
        return group.change(state -> state.override(limits, base, ends, batch), batch);
    }

    private boolean replaceOverride(
            Group group, @Nullable GroupLimits expected, @Nullable GroupLimits limits, long ends, Batch batch) {
        EffectiveLimits base = engine.table.resolve(engine.policy, group);
        return group.changeIf(state -> state.replaceOverride(expected, limits, base, ends, batch), batch);
    }

    /**
     * What is set now for a period. An alarm sees to its end, which is set before anything is changed: there may be no memory
     * for one afterwards. The change may take longer than the period, since a resolver may be asked; then it ends at once.
     */
    private final class Lasting implements AutoCloseable {
        private final String key;
        private final long ends;
        private volatile boolean changed;

        Lasting(String key, Duration period) {
            this.key = key;
            long nanos = EffectiveLimits.saturatedNanos(period);
            if (nanos == NEVER) {
                ends = NEVER;
                return;
            }
            StackReserve.require();
            ends = engine.now() + nanos;
            if (!engine.housekeeper.at(ends, this::isPointless, now -> engine.report(new PeriodOver(key)))) {
                throw new OutOfMemoryError("There is no thread that would end it");
            }
        }

        /** {@return whether something else has taken its place} */
        private boolean isPointless() {
            if (!changed) {
                return false;
            }
            Group group = engine.groupIfKnown(key);
            return group == null || !group.lastsUntil(ends);
        }

        /** The change is made, or has failed. */
        @Override
        public void close() {
            changed = true;
            if (ends <= engine.now()) {
                engine.report(new PeriodOver(key));
            }
        }
    }

    /** Ends what has lasted as long as it should; on a thread of its own, since a resolver may be asked. */
    private final class PeriodOver extends Report {
        private final String key;

        PeriodOver(String key) {
            this.key = key;
        }

        @Override
        public void run() {
            try {
                end();
            } catch (OutOfMemoryError failure) {
                boolean unused = engine.housekeeper.retry(this);
            }
        }

        private void end() {
            Group group = engine.groupIfKnown(key);
            if (group != null) {
                tryChange(group, (known, batch) -> known.changeIf(state -> state.endPause(batch), batch));
                tryChange(group, (known, batch) -> {
                    EffectiveLimits base = engine.table.resolve(engine.policy, known);
                    return known.changeIf(state -> state.endOverride(base, batch), batch);
                });
            }
        }
    }

    /** Changes the live group of {@code key}, made if need be; the change returns false for a dead one. */
    private void change(String key, boolean make, BiPredicate<Group, Batch> change) {
        StackReserve.require();
        for (; ; ) {
            Group group = make ? engine.group(key) : engine.groupIfKnown(key);
            if (group == null) {
                return;
            }
            if (tryChange(group, change)) {
                return;
            }
            engine.forget(group);
        }
    }

    /** Changes a group, and carries out what follows; false if the change returns that. */
    private boolean tryChange(Group group, BiPredicate<Group, Batch> change) {
        CompiledPolicy before = engine.policy;
        Answer answer = group.answer();
        Batch batch = new Batch(engine);
        boolean done;
        try {
            done = change.test(group, batch);
        } finally {
            batch.carryOut();
        }
        if (done) {
            rebaseUnless(group, before, answer);
        }
        return done;
    }

    /**
     * Resolves a group's limits again unless policy and answer are those still. They may have been resolved by the old ones,
     * after whoever brought the new ones had been to the group.
     */
    private void rebaseUnless(Group group, CompiledPolicy policy, Answer answer) {
        if (engine.isOutdated(group, policy, answer)) {
            engine.rebase(group);
        }
    }

    public void updatePolicy(CompiledPolicy policy) {
        StackReserve.require();
        Batch batch = new Batch(engine);
        try {
            engine.replacePolicy(policy, batch);
        } finally {
            batch.carryOut();
        }
        for (Group group : engine.groups()) {
            engine.rebase(group);
        }
        engine.idle.policyChanged();
        engine.table.policyChanged();
        engine.watch.policyChanged();
        engine.dropRules();
    }

    public void limitsChanged(String key) {
        StackReserve.require();
        engine.table.changed(key);
    }

    public void limitsChanged() {
        StackReserve.require();
        engine.table.changed();
    }

    public void evict(String key) {
        StackReserve.require();
        Group group = engine.groupIfKnown(key);
        if (group == null) {
            engine.forgetRate(key);
            return;
        }
        CompiledPolicy before = engine.policy;
        Answer answer = engine.table.askAgain(before, group);
        EffectiveLimits base = before.resolve(key, answer);
        Batch batch = new Batch(engine);
        Eviction done;
        try {
            done = group.evict(base, batch);
        } finally {
            batch.carryOut();
        }
        engine.forgetRate(key); // of one before it, if it has no rate itself
        switch (done) {
            case KNOWN_NO_MORE -> {
                return;
            }
            case GONE -> group.record.recording().end(group.counters);
            case IN_USE -> {
                engine.record(group, true);
                rebaseUnless(group, before, answer);
            }
        }
        engine.reports.groupRemoved(key);
    }

    public void shutdownGroup(String key) {
        StackReserve.require();
        boolean unused = engine.rejections.stopStages(task -> task.groupKey().equals(key));
        Group group = engine.groupIfKnown(key);
        if (group == null) {
            return;
        }
        Consumer<Hold> interruption = engine.interruptionOf(group);
        Batch batch = new Batch(engine);
        try {
            group.stop(batch);
        } finally {
            batch.carryOut();
            engine.interruptRuns(group, interruption);
        }
    }
}
