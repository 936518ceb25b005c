package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.h2.store.fs.FilePath;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** H2 shows others what a transaction wrote before its file has it. */
class KeptBeforeToldTests {

    private static final PlanId PLAN = PlanId.of("plan-x");

    @TempDir
    private Path folder;

    @Test
    @Tag("R82")
    void anEventThatAKilledProcessWouldLoseIsNotToldYet() throws Exception {
        FilePath disk = new HeldFile.Disk();
        FilePath.register(disk);
        String url =
                "jdbc:h2:" + HeldFile.SCHEME + ":" + folder.resolve("rollouts") + ";WRITE_DELAY=0;TRACE_LEVEL_FILE=0";
        Gate held = null;
        try (HikariDataSource dataSource = TestDatabase.pool(url)) {
            PlanStore store = JdbcRolloutStore.of(dataSource).createTables().plans();
            append(store, 1);
            assertThat(store.findUnpublished(PLAN, 9)).hasSize(1);

            held = HeldFile.hold();
            FutureTask<?> writing = new FutureTask<>(() -> append(store, 2), null);
            Thread.ofPlatform().start(writing);
            held.awaitArrived(1);
            FutureTask<List<RolloutEvent>> reading = new FutureTask<>(() -> store.findUnpublished(PLAN, 9));
            Thread reader = Thread.ofPlatform().start(reading);
            Deadline.until("it has read, or waits", () -> reading.isDone() || waitsForTheFile(reader));
            assertThat(reading.isDone()).as("read before it is in the file").isFalse();

            held.open();
            writing.get(Deadline.LONG.toSeconds(), TimeUnit.SECONDS);
            assertThat(reading.get(Deadline.LONG.toSeconds(), TimeUnit.SECONDS)).hasSize(2);
        } finally {
            if (held != null) {
                held.open();
            }
            FilePath.unregister(disk);
        }
    }

    private static boolean waitsForTheFile(Thread thread) {
        return thread.getState() == Thread.State.WAITING
                && Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals("org.h2.mvstore.MVStore"));
    }

    private static void append(PlanStore store, long number) {
        store.transact(transaction -> {
            Occurrence occurrence = new Occurrence.PlanEntered(PlanStatus.CREATED);
            transaction.append(new RolloutEvent(
                    PLAN, null, null, PlanStatus.CREATED, Instant.EPOCH, "created", null, number, occurrence));
            return number;
        });
    }
}
