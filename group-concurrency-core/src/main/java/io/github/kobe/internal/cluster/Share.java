package io.github.kobe.internal.cluster;

import java.util.List;

/**
 * What a division gives to the node that asks.
 *
 * @param counted how much it has now
 * @param keep how much of it stays after its turn
 * @param turn how much of that is left, in milliseconds
 * @param hints the sessions to hint at this resource
 */
record Share(int counted, int keep, long turn, List<String> hints) {}
