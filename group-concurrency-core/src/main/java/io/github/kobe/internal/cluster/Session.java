package io.github.kobe.internal.cluster;

/**
 * A node's membership.
 *
 * @param node its name
 * @param sequence the number of its last statement
 * @param spoke the log at that statement
 * @param real the server's time at that statement
 * @param ends the log at which it is over, unless the node speaks before
 */
record Session(String id, String node, long sequence, long spoke, long real, long ends) {

    boolean isOver(long log) {
        return ends <= log;
    }
}
