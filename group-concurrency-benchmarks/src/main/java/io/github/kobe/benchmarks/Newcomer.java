package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import java.util.List;
import java.util.Random;

/** How long a task of a group waits that has one now and then, while others use up the global limit. */
final class Newcomer extends Workload {

    private static final int MILLIS_BEFORE = 2_000;
    private static final int LONGEST_PAUSE_MILLIS = 100;

    private final int headroom;
    private final int tasks;
    private final int millisBefore;

    Newcomer(String id, int headroom, int bound, int tasks, Size size) {
        super(
                id,
                "median wait of a task now and then of a fourth group, beside " + LongAndShort.TITLE
                        + (headroom == 0 ? "" : ", headroom " + headroom),
                "ms",
                Goal.atMost(bound));
        this.headroom = headroom;
        this.tasks = size.of(tasks);
        this.millisBefore = size.of(MILLIS_BEFORE);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.OURS);
    }

    @Override
    boolean isSteady() {
        return true;
    }

    @Override
    Limits limits() {
        return LongAndShort.limits();
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        GroupExecutor executor = ((Ours) contestant).executor();
        executor.updatePolicy(
                executor.policy().toBuilder().globalHeadroom(headroom).build());
        return new LongAndShort().during(contestant, millisBefore, () -> medianWait(contestant));
    }

    private <H> double medianWait(Contestant<H> contestant) throws InterruptedException {
        Random pauses = new Random(tasks);
        double[] waits = new double[tasks];
        for (int i = 0; i < tasks; i++) {
            Thread.sleep(1 + pauses.nextInt(LONGEST_PAUSE_MILLIS));
            long submitted = System.nanoTime();
            H handle = contestant.submit("newcomer", "task", BlockingTasks.A_MILLISECOND);
            waits[i] = (contestant.join(handle).startTimeNanos() - submitted) / 1e6;
        }
        return Spread.of(waits).median();
    }
}
