package io.github.kobe.spring.docs;

import io.github.kobe.GroupLimits;
import io.github.kobe.spring.GroupLimitsResolver;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

@Component
class PlanLimits implements GroupLimitsResolver {

    private static final String TENANT = "tenant:";
    private static final String SQL = "SELECT at_once, may_wait FROM plan WHERE tenant = ?";

    private final JdbcTemplate database;

    PlanLimits(JdbcTemplate database) {
        this.database = database;
    }

    @Override
    public Optional<GroupLimits> apply(String groupKey) {
        if (!groupKey.startsWith(TENANT)) {
            return Optional.empty();
        }
        String tenant = groupKey.substring(TENANT.length());
        return database.query(SQL, (row, i) -> limits(row.getInt("at_once"), row.getInt("may_wait")), tenant).stream()
                .findFirst();
    }

    private static GroupLimits limits(int atOnce, int mayWait) {
        return GroupLimits.unset().withMaxConcurrency(atOnce).withQueueThreshold(mayWait);
    }
}
