package io.github.kobe.spring.internal.settings;

import java.util.List;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.ClassUtils;

/**
 * Fails the start of an application that is to limit connections and can't, and warns of settings that limit none. It is apart from
 * what limits connections, since nothing of that is loaded where there is no Spring JDBC.
 */
@Lazy(false)
public final class UnlimitedConnections {

    /** What limits need of Spring JDBC. */
    public static final String JDBC = "org.springframework.jdbc.datasource.DelegatingDataSource";

    /** The type of the bean that tells whom a connection is for. */
    private static final String CONNECTION_GROUP = "io.github.kobe.spring.jdbc.ConnectionGroup";

    private static final Log LOGGER = LogFactory.getLog(UnlimitedConnections.class);

    /**
     * Looks at the settings.
     *
     * @param properties bound already, so that the settings' places are known
     * @param settings where they came from
     * @throws io.github.kobe.spring.InvalidSettingException with an example, if connections are to be limited
     */
    public UnlimitedConnections(GroupConcurrencyProperties properties, BoundSettings settings) {
        boolean hasJdbc = ClassUtils.isPresent(JDBC, null);
        String why = hasJdbc
                ? "there is no bean of type " + CONNECTION_GROUP + ", which tells whom a connection is for"
                : "Spring JDBC isn't on the class path";
        Boolean enabled = properties.datasource().enabled();
        if (Boolean.TRUE.equals(enabled)) {
            throw settings.refusal(
                    "is true, and " + why,
                    hasJdbc
                            ? "a bean beside it, as @Bean ConnectionGroup tenants() { return () -> Tenant.current(); },"
                                    + " or false"
                            : "Spring JDBC on the class path, or false",
                    null,
                    BoundSettings.DATASOURCE,
                    "enabled");
        }
        List<ConfigurationProperty> set = settings.under(Set.of(BoundSettings.DATASOURCE));
        if (enabled == null && !set.isEmpty()) {
            String others = set.size() == 1 ? "" : " (and " + (set.size() - 1) + " more below datasource)";
            LOGGER.warn(PrintableText.inOneLine("No connections are limited, though "
                    + set.getFirst().getName() + " is set" + others + ": " + why + "."));
        }
    }
}
