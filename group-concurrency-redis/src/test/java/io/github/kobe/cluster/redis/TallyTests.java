package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.redis.Tally.Absence;
import io.github.kobe.cluster.redis.Tally.Work;
import io.github.kobe.cluster.redis.Witness.Task;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TallyTests {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long COUNTS = RealCluster.COUNTS.toNanos();
    private static final long BEGIN = 1_000 * SECOND;
    private static final long NOW = 1_100 * SECOND;

    /** A task of the key with limit 1. */
    private static Task task(long from, long to) {
        return new Task(1, BEGIN + from - SECOND, BEGIN + from, to == 0 ? 0 : BEGIN + to);
    }

    private static Work work(String node, Task... tasks) {
        return new Work(node, List.of(tasks), NOW);
    }

    @Test
    void tasksOfTwoProcessesAtOnceAreOver() {
        Tally tally = new Tally(1, List.of(work("a", task(1, 5)), work("b", task(4, 8))), List.of());

        assertThat(tally.most()).isEqualTo(2);
        assertThat(tally.over()).extracting(Tally.Instant::at).containsExactly(BEGIN + 4);
        assertThat(tally.beyond()).isEqualTo(1);
    }

    @Test
    void whatEndsAsTheNextBeginsIsNotOver() {
        Tally tally = new Tally(1, List.of(work("a", task(1, 4)), work("b", task(4, 8))), List.of());

        assertThat(tally.most()).isEqualTo(1);
        assertThat(tally.over()).isEmpty();
    }

    @Test
    void otherKeysDontCount() {
        Task other = new Task(2, BEGIN, BEGIN + 1, BEGIN + 5);

        assertThat(new Tally(1, List.of(work("a", task(1, 5), other)), List.of()).most())
                .isEqualTo(1);
    }

    @Test
    void whatAKilledProcessWasRunningHasEndedThen() {
        Work killed = new Work("a", List.of(task(1, 0)), BEGIN + 3);

        assertThat(new Tally(1, List.of(killed, work("b", task(4, 8))), List.of()).over())
                .isEmpty();
        assertThat(new Tally(1, List.of(killed, work("b", task(2, 8))), List.of()).over())
                .isNotEmpty();
    }

    @Test
    void whatWasRunningWhenAStoppedNodesLeaseWasOverMayComeOnTop() {
        Work stopped = work("a", task(0, 20 * SECOND));
        Absence absence = new Absence("a", BEGIN + 1, BEGIN + 10 * SECOND, true);

        Tally later = new Tally(1, List.of(stopped, work("b", task(COUNTS + 1, 6 * SECOND))), List.of(absence));
        assertThat(later.over()).isEmpty();
        assertThat(later.most()).isEqualTo(2);
        assertThat(new Tally(1, List.of(stopped, work("b", task(COUNTS, 6 * SECOND))), List.of(absence)).over())
                .as("while the lease counts")
                .hasSize(1);
        Absence shortOne = new Absence("a", BEGIN + 1, BEGIN + 1 + COUNTS, true);
        assertThat(new Tally(1, List.of(stopped, work("b", task(COUNTS + 1, 6 * SECOND))), List.of(shortOne)).over())
                .as("a short absence")
                .hasSize(1);
    }

    @Test
    void whatANodeStartsLaterMayNot() {
        Absence stopped = new Absence("a", BEGIN, BEGIN + 10 * SECOND, true);
        Work other = work("b", task(6 * SECOND, 30 * SECOND));

        Task noted = new Task(1, BEGIN - 1, BEGIN + 10 * SECOND + 1, BEGIN + 12 * SECOND);
        assertThat(new Tally(1, List.of(work("a", noted), other), List.of(stopped)).over())
                .as("it had its permit when it was stopped")
                .isEmpty();
        Task late = new Task(1, BEGIN - 1, BEGIN + 11 * SECOND, BEGIN + 12 * SECOND);
        assertThat(new Tally(1, List.of(work("a", late), other), List.of(stopped)).over())
                .isNotEmpty();

        Absence cutOff = new Absence("a", BEGIN, BEGIN + 10 * SECOND, false);
        assertThat(new Tally(1, List.of(work("a", task(COUNTS + 1, 9 * SECOND)), other), List.of(cutOff)).over())
                .isNotEmpty();
        assertThat(new Tally(1, List.of(work("a", task(COUNTS, 9 * SECOND)), other), List.of(cutOff)).over())
                .isEmpty();
    }

    @Test
    void aWitnessIsReadByWhoeverOpensItsFile(@TempDir Path folder) {
        Witness writer = Witness.at(folder.resolve("witness"));
        Witness reader = Witness.at(folder.resolve("witness"));
        int first = writer.offered(3);
        int second = writer.offered(3);
        writer.offered(1);
        writer.started(first);
        assertThat(reader.running(3)).isEqualTo(1);
        assertThat(reader.running(1)).isZero();

        writer.ended(first);
        writer.ended(second);

        assertThat(reader.running(3)).isZero();
        assertThat(reader.tasks()).extracting(Task::isRefused).containsExactly(false, true, false);
        assertThat(reader.tasks().getFirst().ended())
                .isBetween(reader.tasks().getFirst().started(), System.nanoTime());
    }
}
