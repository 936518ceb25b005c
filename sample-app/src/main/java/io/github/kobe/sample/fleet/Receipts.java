package io.github.kobe.sample.fleet;

import java.util.ArrayList;
import java.util.List;

/** All requests of the fleet, in the order in which they came. */
final class Receipts {

    private final List<Receipt> all = new ArrayList<>();

    synchronized void add(FleetServer server, String request, String version, Order order, Receipt.Effect effect) {
        all.add(new Receipt(
                all.size() + 1, server.tenant(), server.name(), request, version, order.key(), order.token(), effect));
    }

    synchronized List<Receipt> all() {
        return List.copyOf(all);
    }
}
