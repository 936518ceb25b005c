package io.github.kobe.spring.actuate;

import io.github.kobe.GroupExecutor;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.internal.endpoint.RequestedValue;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.lang.Nullable;

/**
 * The endpoint {@code /actuator/groupscopes}: shows the open structured scopes, as trees. It is read-only.
 *
 * <p>It shows all scopes that are open on an executor, whichever {@link Scopes} opened them. Safe for use by many
 * threads.
 */
@Endpoint(id = GroupScopesEndpoint.ID, defaultAccess = Access.READ_ONLY)
public class GroupScopesEndpoint {

    static final String ID = "groupscopes";

    private final NamedExecutors executors;
    private final String instance = InstanceName.own();

    /**
     * Makes an endpoint.
     *
     * @param executors all executors, by the names of their beans
     * @param defaultExecutor the name of the executor for requests that name none; empty: there is none
     */
    public GroupScopesEndpoint(Supplier<Map<String, GroupExecutor>> executors, String defaultExecutor) {
        this.executors = new NamedExecutors(executors, defaultExecutor);
    }

    /**
     * Shows the scopes of an executor.
     *
     * @param limit how many scopes to show at most, including those inside others, at least 1; none: 100
     * @param executor the executor's name; none: the default one
     * @return the trees, the oldest first
     * @throws RuntimeException if the limit isn't a number of at least 1, or there is no executor with this name
     */
    @ReadOperation
    public GroupScopesReport scopes(@Nullable String limit, @Nullable String executor) {
        int most = RequestedValue.limit(limit);
        return GroupScopesReport.of(
                instance, Scopes.of(executors.find(executor).executor()).live(), most);
    }
}
