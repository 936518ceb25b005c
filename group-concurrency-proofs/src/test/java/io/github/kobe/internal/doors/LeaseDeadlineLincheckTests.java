package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Environment;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What finds its lease over just when that is renewed: it starts, by the one or by the other. */
@Tag("lincheck")
@Tag("deep")
@Param(name = "thread", gen = ThreadIdGen.class)
public class LeaseDeadlineLincheckTests {

    private static final String KEY = "shared";
    private static final GroupPolicy POLICY = GroupPolicy.builder()
            .defaultMaxConcurrencyPerGroup(2)
            .defaultClusterMaxInFlightPerGroup(100)
            .build();

    private final FakeThreads threads = new FakeThreads();
    private final GroupExecutor executor = EngineAccess.newExecutor(
            POLICY, new Environment(new ManualClock(), threads, false), new LeaseLincheckTests.Leases());
    private final Engine engine = EngineAccess.engine(executor);
    private final Submitted submitted = new Submitted();

    @Operation
    public void lease(@Param(name = "thread") int thread) {
        threads.act(thread, () -> engine.group(KEY).lease(2));
    }

    @Operation
    public void submit(@Param(name = "thread") int thread) {
        String id = submitted.nextId(thread);
        threads.act(thread, () -> submitted.add(thread, executor.submit(KEY, id, () -> id)));
    }

    @Operation
    public void run(@Param(name = "thread") int thread) {
        threads.run(thread);
    }

    @Operation
    public void renew(@Param(name = "thread") int thread) {
        threads.act(thread, () -> engine.leaseUntil(Long.MAX_VALUE));
    }

    @Operation
    public void lapse(@Param(name = "thread") int thread) {
        threads.act(thread, () -> engine.leaseUntil(0));
    }

    /** It is not renewed here: whatever waits then has been lost. */
    @Validate
    public void allEndsAndEveryPermitIsBack() {
        ScenarioEnd.check(executor, threads, submitted);
    }

    @Test
    void theFirstOfASlowGroupStarts() {
        Scenarios.modelCheck(
                LeaseDeadlineLincheckTests.class, null, List.of("lease 1"), List.of("submit 1", "renew 2"));
    }

    @Test
    void theNextOfAFastGroupStarts() {
        Scenarios.modelCheck(
                LeaseDeadlineLincheckTests.class,
                null,
                List.of("lease 1", "renew 1", "submit 1", "run 1", "lapse 1"),
                List.of("submit 1", "renew 2"));
    }

    @Test
    void whatWaitsBehindOthersStarts() {
        Scenarios.modelCheck(
                LeaseDeadlineLincheckTests.class,
                null,
                List.of("lease 1", "renew 1", "submit 1", "submit 1", "submit 1", "lapse 1"),
                List.of("run 1", "renew 2"));
    }
}
