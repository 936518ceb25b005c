package io.github.kobe.scope;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Gate;
import java.util.function.Predicate;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the tests of scopes have in common. */
abstract class ScopeTestCase {

    @RegisterExtension
    final Engines engines = new Engines();

    final Gate gate = new Gate();

    /** An executor whose groups run so many at once. */
    final GroupExecutor executor(int limit) {
        return engines.start(policy(limit));
    }

    static GroupPolicy policy(int limit) {
        return GroupPolicy.builder().defaultMaxConcurrencyPerGroup(limit).build();
    }

    /** A task that waits to be interrupted, and throws that. */
    final String interrupted() throws InterruptedException {
        gate.pass();
        return "passed";
    }

    /** A condition that throws whatever it is given, as one in another language may. */
    static Predicate<Throwable> throwing(Throwable thrown) {
        return any -> ScopeTestCase.<RuntimeException>raised(thrown);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> boolean raised(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
