package io.github.kobe.sample.rollout;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.TenantChange;
import java.util.List;

/**
 * What the fleet tells of a tenant.
 *
 * @param tenant its name
 * @param version what its servers run
 * @param servers where they are
 */
record FleetTenant(String tenant, long version, List<String> servers) {

    private static final int UNIT = 7;

    /** {@return the change to another version, which can be taken back} */
    TenantChange to(long wanted) {
        return TenantChange.of(tenant, unit(wanted), config(wanted))
                .previous(unit(version), config(version))
                .endpoints(servers.toArray(String[]::new));
    }

    private static DeployUnit unit(long version) {
        return DeployUnit.of(UNIT, version, "v" + version);
    }

    private static String config(long version) {
        return "{\"version\": " + version + "}";
    }
}
