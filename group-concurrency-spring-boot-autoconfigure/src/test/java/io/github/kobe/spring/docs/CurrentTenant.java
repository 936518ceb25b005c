package io.github.kobe.spring.docs;

import io.micrometer.context.ContextRegistry;

/** A thread-local of an application's own that goes along with tasks, as the docs show it. */
final class CurrentTenant {

    static final ThreadLocal<String> CURRENT_TENANT = new ThreadLocal<>();

    private CurrentTenant() {}

    static void register() {
        ContextRegistry.getInstance()
                .registerThreadLocalAccessor(
                        "tenant", CURRENT_TENANT::get, CURRENT_TENANT::set, CURRENT_TENANT::remove);
    }
}
