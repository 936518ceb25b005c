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
 * same group meanwhile shares it, and it is given back at the last close, in any order. <b>Don't hand it to a worker:</b>
 * its own thread would go on to enter the group without a permit, so that more than the limit work in it. One of
 * {@code acquireAsync} belongs to no thread, and may be handed over.
 *
 * <p>Not for implementing: methods may be added.
 *
 * @since 0.1.0
 */
public interface GroupPermit extends AutoCloseable {

    /** {@return the key of the group} */
    String groupKey();

    /**
     * Gives the permit back at once, whatever its own thread waits for. Any thread may do so; a second close does nothing.
     */
    @Override
    void close();
}
