package io.github.kobe.spring.docs;

import java.util.Set;

/** Has the keys of all tenants, in memory. */
interface TenantIds {

    Set<String> current();
}
