package io.github.kobe.spring.web;

import io.github.kobe.GroupPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which keys of one rule have a group of their own. A key is trusted if the policy names it, if the application
 * knows it, or once a request with it has succeeded. The others may share one group, or only so many of them may have
 * groups of their own. Groups take turns, so each made-up key would otherwise get a turn as an honest one does.
 */
final class Newcomers {

    /** What stands for the application where it says nothing of its keys. */
    static final KnownGroupKeys NOBODY_KNOWS = groupKey -> false;

    /** How many keys that have succeeded are remembered, the most recently used ones. */
    static final int REMEMBERED = 10_000;

    /** The first status that tells a client that something is wrong. */
    private static final int FIRST_FAILURE = 400;

    /** At most so many keys are looked at to find a place. */
    private static final int MOST_LOOKS = 8;

    private final String sharedGroup;
    private final Supplier<KnownGroupKeys> known;
    private final boolean knownOnly;
    private final int most;
    private final LongSupplier clock;

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock: keys that have succeeded. */
    private final Map<String, Boolean> succeeded = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };
    /** Guarded by the lock: untrusted keys with groups of their own, the least recently used one first. */
    private final Map<String, Stay> live = new LinkedHashMap<>(16, 0.75f, true);

    /** What an untrusted key has. Guarded by the lock. */
    private static final class Stay {
        private int requests;
        private long usedAt;
    }

    /**
     * @param sharedGroup the key of the group that untrusted keys share
     * @param known what the application knows; asked once all other beans are there
     * @param knownOnly whether a key that isn't known never has a group of its own, whatever has succeeded
     * @param most how many untrusted keys may have groups of their own, each until nobody has used it for the policy's
     *     idle time-out; {@link Integer#MAX_VALUE}: any number
     * @param clock in nanoseconds
     */
    Newcomers(String sharedGroup, Supplier<KnownGroupKeys> known, boolean knownOnly, int most, LongSupplier clock) {
        this.sharedGroup = sharedGroup;
        this.known = known;
        this.knownOnly = knownOnly;
        this.most = most;
        this.clock = clock;
    }

    /** Has the bean made that knows keys, if there is one and it will be asked. */
    void makeReady() {
        if (isAsked()) {
            KnownGroupKeys unused = known.get();
        }
    }

    /** {@return the key of the group that is for all requests, unless the policy names one of theirs; empty: there is none} */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    Optional<String> onlyGroup() {
        return knownOnly && known.get() == NOBODY_KNOWS ? Optional.of(sharedGroup) : Optional.empty();
    }

    /** {@return the key of the group that untrusted keys share; empty: each key has its own} */
    Optional<String> sharedGroup() {
        return isAsked() ? Optional.of(sharedGroup) : Optional.empty();
    }

    private boolean isAsked() {
        return most != Integer.MAX_VALUE || knownOnly;
    }

    /** The place of one request, until it has ended. */
    static final class Place {

        private final String groupKey;
        /** Who hears of the end; {@code null}: nobody. */
        private final @Nullable End end;

        private final AtomicBoolean ended = new AtomicBoolean();

        private interface End {
            void ended(boolean success);
        }

        private Place(String groupKey, @Nullable End end) {
            this.groupKey = groupKey;
            this.end = end;
        }

        /** {@return the place of a request that nothing depends on} */
        static Place in(String groupKey) {
            return new Place(groupKey, null);
        }

        String groupKey() {
            return groupKey;
        }

        /**
         * The request has ended, or was refused; as often as one likes, the first time counts.
         *
         * @param success whether its answer {@linkplain #isProof is proof} of the key
         */
        void end(boolean success) {
            if (end != null && ended.compareAndSet(false, true)) {
                end.ended(success);
            }
        }
    }

    /**
     * {@return whether an answer says that the application has accepted the key} Spring answers OPTIONS by itself, and asks
     * no handler.
     *
     * @param method the request's
     * @param status the response's
     */
    static boolean isProof(String method, int status) {
        return status < FIRST_FAILURE && !method.equals("OPTIONS") && !method.equals("TRACE");
    }

    /** {@return the place of a request with that key} */
    Place place(String key, GroupPolicy policy) {
        if (!isAsked() || policy.groups().containsKey(key) || known.get().isKnown(key)) {
            return Place.in(key);
        }
        if (knownOnly) {
            return Place.in(sharedGroup);
        }
        lock.lock();
        try {
            if (succeeded.get(key) != null) {
                return Place.in(key);
            }
            Stay stay = live.get(key);
            if (stay == null && most > 0 && hasRoom(policy.idleTimeout())) {
                stay = new Stay();
                live.put(key, stay);
            }
            if (stay != null) {
                stay.requests++;
                Stay counted = stay;
                return new Place(key, success -> ended(key, counted, success));
            }
        } finally {
            lock.unlock();
        }
        return new Place(sharedGroup, success -> succeeded(key, success));
    }

    /** {@return whether one more key may have a group of its own} Under the lock. */
    private boolean hasRoom(Duration idleTimeout) {
        long now = clock.getAsLong();
        for (int looks = 0; live.size() >= most && looks < MOST_LOOKS; looks++) {
            Map.Entry<String, Stay> eldest = live.entrySet().iterator().next();
            Stay stay = eldest.getValue();
            if (stay.requests > 0) {
                live.remove(eldest.getKey());
                live.put(eldest.getKey(), stay); // last now: it is in use
            } else if (idleTimeout.minusNanos(now - stay.usedAt).isPositive()) {
                return false;
            } else {
                live.remove(eldest.getKey());
            }
        }
        return live.size() < most;
    }

    /**
     * A request has ended.
     *
     * @param stay that of its key, in whose group it was; {@code null}: it was in the shared one
     */
    private void ended(String key, @Nullable Stay stay, boolean success) {
        lock.lock();
        try {
            if (stay != null) {
                stay.requests--;
                stay.usedAt = clock.getAsLong();
            }
            if (success) {
                live.remove(key);
                succeeded.put(key, true);
            }
        } finally {
            lock.unlock();
        }
    }

    private void succeeded(String key, boolean success) {
        if (success) {
            ended(key, null, true);
        }
    }
}
