package io.github.kobe.internal.cluster;

/**
 * Which server is the store. A server that restarts has another run id, and one that is promoted another replication id; the
 * first alone can come back with older data.
 *
 * @param runId which run of a server
 * @param replicationId which history of its data
 */
record Identity(String runId, String replicationId) {}
