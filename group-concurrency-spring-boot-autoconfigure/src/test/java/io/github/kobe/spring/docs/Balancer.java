package io.github.kobe.spring.docs;

import io.github.kobe.rollout.TenantId;

/** What takes a tenant's requests away from its instances. */
interface Balancer {

    void drain(TenantId tenantId, String key);

    void undrain(TenantId tenantId);
}
