package io.github.kobe.spring.jdbc;

import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import org.springframework.context.annotation.Lazy;

/** Fails the start of an application that is to limit connections, and doesn't say whom they are for. */
@Lazy(false)
final class MissingConnectionGroup {

    /**
     * Always throws.
     *
     * @param properties bound already, so that the setting's place is known
     * @param settings where they came from
     * @throws io.github.kobe.spring.InvalidSettingException with an example
     */
    MissingConnectionGroup(GroupConcurrencyProperties properties, BoundSettings settings) {
        throw settings.refusal(
                "is " + properties.datasource().enabled() + ", and there is no bean of type "
                        + ConnectionGroup.class.getName() + ", which tells whom a connection is for",
                "a bean beside it, as @Bean ConnectionGroup tenants() { return () -> Tenant.current(); }, or false",
                null,
                BoundSettings.DATASOURCE,
                "enabled");
    }
}
