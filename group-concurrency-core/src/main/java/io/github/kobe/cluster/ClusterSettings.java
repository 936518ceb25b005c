package io.github.kobe.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an executor shares limits with those of other instances: by which store, and what it does without it.
 *
 * <pre>{@code
 * ClusterSettings.of(store).withOnStoreLoss(OnStoreLoss.LOCAL).withIdleReturn(Duration.ofSeconds(2))
 * }</pre>
 *
 * <p>Immutable. Each value is checked where it is set.
 *
 * @since 0.1.0
 */
public final class ClusterSettings {

    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(15);
    private static final Duration DEFAULT_IDLE_RETURN = Duration.ofSeconds(5);
    private static final Duration MOST_IDLE_RETURN = Duration.ofHours(1);

    private final ClusterStore store;
    private final String nodeName;
    private final Duration lease;
    private final OnStoreLoss onStoreLoss;
    private final Duration idleReturn;

    private ClusterSettings(
            ClusterStore store, String nodeName, Duration lease, OnStoreLoss onStoreLoss, Duration idleReturn) {
        this.store = store;
        this.nodeName = nodeName;
        this.lease = lease;
        this.onStoreLoss = onStoreLoss;
        this.idleReturn = idleReturn;
    }

    /**
     * Returns settings with a store, and everything else at its default.
     *
     * @param store where the instances meet; whoever made it closes it, after the executor
     * @return those settings
     */
    public static ClusterSettings of(ClusterStore store) {
        return new ClusterSettings(
                Objects.requireNonNull(store, "store"),
                DefaultName.NAME,
                DEFAULT_LEASE,
                OnStoreLoss.CLOSED,
                DEFAULT_IDLE_RETURN);
    }

    /**
     * Sets as whom the store shows this instance to people. Default: the environment variable {@code HOSTNAME}, or else the
     * name of the host, a colon and the id of the process.
     *
     * @param value not blank, at most 255 characters; need not be unique
     * @return settings with that name
     * @throws IllegalArgumentException if it is blank, or longer
     */
    public ClusterSettings withNodeName(String value) {
        Statement.requireNode(Objects.requireNonNull(value, "nodeName"), "nodeName");
        return new ClusterSettings(store, value, lease, onStoreLoss, idleReturn);
    }

    /**
     * Sets for how long what the store grants counts if nothing more is heard: so long it keeps what an instance had that has
     * died. All instances must say the same; the store refuses those that differ from the first. Default: 15 seconds.
     *
     * @param value 5 to 60 seconds
     * @return settings with that lease
     * @throws IllegalArgumentException if it is out of that range
     */
    public ClusterSettings withLease(Duration value) {
        Statement.requireLease(Objects.requireNonNull(value, "lease"));
        return new ClusterSettings(store, nodeName, value, onStoreLoss, idleReturn);
    }

    /**
     * Sets what starts while the store has been away for longer than a lease. Default: {@link OnStoreLoss#CLOSED}, nothing.
     *
     * @param value one of them
     * @return settings with that choice
     */
    public ClusterSettings withOnStoreLoss(OnStoreLoss value) {
        Objects.requireNonNull(value, "onStoreLoss");
        return new ClusterSettings(store, nodeName, lease, value, idleReturn);
    }

    /**
     * Sets how long what is leased and not in use is kept if nobody else wants it: work that comes meanwhile starts at once.
     * What others want goes back without that. Until it has gone back, its group is remembered, and doesn't count among the idle
     * ones. Default: 5 seconds.
     *
     * @param value more than zero, at most 1 hour
     * @return settings with that time
     * @throws IllegalArgumentException if it is out of that range
     */
    public ClusterSettings withIdleReturn(Duration value) {
        Objects.requireNonNull(value, "idleReturn");
        if (!value.isPositive() || value.compareTo(MOST_IDLE_RETURN) > 0) {
            throw Range.outside("idleReturn", "more than zero, at most " + MOST_IDLE_RETURN, value);
        }
        return new ClusterSettings(store, nodeName, lease, onStoreLoss, value);
    }

    /** {@return where the instances meet} */
    public ClusterStore store() {
        return store;
    }

    /** {@return as whom the store shows this instance} */
    public String nodeName() {
        return nodeName;
    }

    /** {@return for how long what is granted counts if nothing more is heard} */
    public Duration lease() {
        return lease;
    }

    /** {@return what starts while the store has been away for longer than a lease} */
    public OnStoreLoss onStoreLoss() {
        return onStoreLoss;
    }

    /** {@return how long what is not in use is kept if nobody else wants it} */
    public Duration idleReturn() {
        return idleReturn;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ClusterSettings that
                && store.equals(that.store)
                && nodeName.equals(that.nodeName)
                && lease.equals(that.lease)
                && onStoreLoss == that.onStoreLoss
                && idleReturn.equals(that.idleReturn);
    }

    @Override
    public int hashCode() {
        return Objects.hash(store, nodeName, lease, onStoreLoss, idleReturn);
    }

    /** {@return the settings as text, with no more of the store than its class, since it may know passwords} */
    @Override
    public String toString() {
        return "ClusterSettings[store=" + store.getClass().getSimpleName() + ", nodeName=" + nodeName + ", lease="
                + lease + ", onStoreLoss=" + onStoreLoss + ", idleReturn=" + idleReturn + "]";
    }

    /** Asks for names of hosts, which may take a while, once. */
    private static final class DefaultName {

        static final String NAME =
                defaultName(System.getenv("HOSTNAME"), ProcessHandle.current().pid());
    }

    /** {@return the name of an instance that was given none} */
    static String defaultName(@Nullable String hostname, long pid) {
        if (hostname != null && !hostname.isBlank() && hostname.length() <= Statement.LONGEST_NODE) {
            return hostname;
        }
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            host = "unknown";
        }
        String name = host + ":" + pid;
        return name.substring(Math.max(0, name.length() - Statement.LONGEST_NODE));
    }
}
