package io.github.kobe.internal.work;

import io.github.kobe.GroupHolder;
import io.github.kobe.GroupHolder.Kind;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.Particulars;
import io.github.kobe.internal.permits.Shown;
import io.github.kobe.internal.permits.UnboundPermits;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ObjLongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

    /** How much is shown of what a thread is at. */
    private static final int MOST_FRAMES = 3;

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
        Holders holders = new Holders(group);
        Stream<Found> found = holders.find();
        long now = group.engine.now();
        return found.map(one -> holders.shown(one, now)).toList();
    }

    /**
     * {@return those who have had permits of {@code group} longest, each with what its thread is at} For the log.
     *
     * @param most how many
     */
    public static List<String> described(Group group, int most) {
        Holders holders = new Holders(group);
        return holders.find().limit(most).map(holders::described).toList();
    }

    /**
     * Tells since when permits of groups have been held, on the engine's clock, for each holder of which that is known: in one
     * round over all of them, in no order. One may be told twice.
     */
    public static void forEachSince(Work work, ObjLongConsumer<Group> action) {
        work.holds.forEachOpen(hold -> tellSince(hold.group, hold.real(), action));
        for (Group group : work.groups()) {
            group.unbound.forEach(entry -> {
                if (entry instanceof Shown shown) {
                    tellSince(group, shown.hold(), action);
                }
            });
        }
    }

    private static void tellSince(Group group, Hold real, ObjLongConsumer<Group> action) {
        long since = real.particulars(group).since();
        if (since != 0) {
            action.accept(group, since);
        }
    }

    /** {@return the holders, first who is known to have permits longest} */
    private Stream<Found> find() {
        Work.of(group).holds.forEachOpen(this::seeOpen);
        group.unbound.forEach(this::seeUnbound);
        return found.values().stream().sorted(LONGEST_FIRST);
    }

    private String described(Found one) {
        Thread thread = threadOf(one);
        String what = one.kind.name().toLowerCase(Locale.ROOT)
                + (one.id.isEmpty() ? "" : " '" + KeyText.printable(one.id) + "'");
        if (thread == null) {
            return what;
        }
        String frames = Arrays.stream(thread.getStackTrace())
                .filter(Holders::isOfApplication)
                .limit(MOST_FRAMES)
                .map(StackTraceElement::toString)
                .collect(Collectors.joining(", called by "));
        return what + " on thread '" + KeyText.printable(thread.getName()) + "'"
                + (frames.isEmpty() ? "" : " in " + frames);
    }

    private static boolean isOfApplication(StackTraceElement frame) {
        String name = frame.getClassName();
        return !name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("io.github.kobe.internal.");
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
