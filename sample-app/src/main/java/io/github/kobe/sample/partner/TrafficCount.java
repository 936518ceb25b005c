package io.github.kobe.sample.partner;

import java.util.Map;
import java.util.TreeMap;

/** The partner's own count of its requests. It knows nothing of groups and limits, so it can witness that they hold. */
public final class TrafficCount {

    private Traffic total = Traffic.NONE;
    private final Map<String, Traffic> tenants = new TreeMap<>();

    synchronized void arrived(String tenant) {
        total = total.arrived();
        tenants.put(tenant, of(tenant).arrived());
    }

    synchronized void answered(String tenant) {
        total = total.answered();
        tenants.put(tenant, of(tenant).answered());
    }

    /** {@return the requests of all tenants together} */
    public synchronized Traffic total() {
        return total;
    }

    /** {@return the requests of one tenant} */
    public synchronized Traffic of(String tenant) {
        return tenants.getOrDefault(tenant, Traffic.NONE);
    }

    /** {@return the requests of each tenant that ever had one} */
    public synchronized Map<String, Traffic> byTenant() {
        return new TreeMap<>(tenants);
    }
}
