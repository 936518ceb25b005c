package io.github.kobe;

/**
 * The right to run inside a group, held until it is closed.
 *
 * <pre>{@code
 * try (GroupPermit permit = executor.acquire("tenant:a")) {
 *     callThePartner();
 * }
 * }</pre>
 *
 * <p>A permit of {@code acquire} or {@code tryAcquire} belongs to the thread that took it: what that thread takes in the
 * same group meanwhile shares it, and it is given back at the last close, in any order. One of {@code acquireAsync}
 * belongs to no thread.
 */
public interface GroupPermit extends AutoCloseable {

    /** {@return the key of the group} */
    String groupKey();

    /**
     * Gives the permit back. Any thread may do so; a second close does nothing. If its own thread waits just then,
     * for a permit of another group or for a task that it has lent its permits to, it comes back when that wait ends.
     */
    @Override
    void close();
}
