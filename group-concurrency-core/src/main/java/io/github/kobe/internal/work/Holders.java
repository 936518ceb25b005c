package io.github.kobe.internal.work;

import io.github.kobe.GroupHolder;
import io.github.kobe.GroupHolder.Kind;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.Particulars;
import io.github.kobe.internal.permits.Shown;
import io.github.kobe.internal.permits.UnboundPermits;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who has the permits of a group, without any lock.
 *
 * <p>Holders with a thread are found in {@link Holds}, the others where the group keeps them. Those with
 * a thread are read first: a holder is registered elsewhere before it leaves its thread, so none is missed in between.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Holders {

    private static final Comparator<Found> LONGEST_FIRST =
            Comparator.comparingLong(one -> one.since == 0 ? Long.MAX_VALUE : one.since);

    private final Group group;
    private final Map<Hold, Found> found = new LinkedHashMap<>();

    /** Of the threads that are inside of each but needn't have taken it, the one that was made first. */
    private final Map<Hold, Thread> inside = new HashMap<>();

    private record Found(Hold hold, Kind kind, String id, long since, boolean lent) {}

    private Holders(Group group) {
        this.group = group;
    }

    /** {@return who has permits of {@code group}: first who is known to have them longest} */
    public static List<GroupHolder> of(Group group) {
        Work engine = Work.of(group);
        Holders holders = new Holders(group);
        engine.holds.forEachOpen(holders::seeOpen);
        group.unbound.forEach(holders::seeUnbound);
        long now = engine.now();
        return holders.found.values().stream()
                .sorted(LONGEST_FIRST)
                .map(one -> holders.shown(one, now))
                .toList();
    }

    private void seeOpen(Hold hold) {
        if (hold.group != group) {
            return;
        }
        Hold real = hold.real();
        Thread thread = hold.thread;
        if (hold != real && thread != null) {
            Thread known = inside.get(real);
            if (known == null || thread.threadId() < known.threadId()) {
                inside.put(real, thread);
            }
        }
        see(real, "", real instanceof Run ? Kind.TASK : kindOf(real));
    }

    private void seeUnbound(UnboundPermits.Entry entry) {
        if (entry instanceof Shown shown) {
            Hold hold = shown.hold();
            Found known = entry instanceof OpenStage ? null : found.remove(hold);
            Kind kind = entry instanceof OpenStage ? Kind.STAGE : known == null ? kindOf(hold) : known.kind;
            see(hold, shown.id(), kind);
        }
    }

    private static Kind kindOf(Hold real) {
        return real.thread != null && real.isOpen() ? Kind.THREAD : Kind.PERMIT;
    }

    /**
     * Notes one that has permits.
     *
     * @param id its task id, where it doesn't know that itself
     */
    private void see(Hold real, String id, Kind kind) {
        if (!found.containsKey(real)) {
            boolean lent = real.isLent();
            Particulars own = real.particulars(group);
            found.put(real, new Found(real, kind, own.id().isEmpty() ? id : own.id(), own.since(), lent));
        }
    }

    private GroupHolder shown(Found one, long now) {
        Optional<Duration> held =
                one.since == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(Math.max(0, now - one.since)));
        Optional<String> threadName = Optional.ofNullable(threadOf(one)).map(Thread::getName);
        return new GroupHolder(one.id, held, one.kind, threadName, one.lent);
    }

    private @Nullable Thread threadOf(Found one) {
        return switch (one.kind) {
            case TASK, THREAD -> one.hold.thread;
            case PERMIT -> inside.get(one.hold);
            case STAGE -> null;
        };
    }
}
