package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.WaveGate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a plan through its waves; for stores.
 *
 * @param current the wave whose tasks may begin, from 0
 * @param waiting how many tasks of each wave wait
 * @param failed how many tasks of each wave have failed, forward or back
 * @param failuresAllowed how many tasks may have failed while others begin: the plan's number, or as many as had failed
 *     when somebody resumed the plan in spite of them
 * @param gate what holds back the next wave, if anything does
 * @since 0.1.0
 */
public record WaveProgress(
        int current,
        List<Integer> waiting,
        List<Integer> failed,
        int failuresAllowed,
        @Nullable WaveGate gate) {

    /** Copies the counts. */
    public WaveProgress {
        waiting = List.copyOf(waiting);
        failed = List.copyOf(failed);
    }

    static WaveProgress begin(Waves waves) {
        List<Integer> none = Collections.nCopies(waves.count(), 0);
        return new WaveProgress(0, none, none, waves.mostFailures(0), null);
    }

    WaveProgress in(int wave) {
        return new WaveProgress(wave, waiting, failed, failuresAllowed, null);
    }

    WaveProgress at(@Nullable WaveGate newGate) {
        return new WaveProgress(current, waiting, failed, failuresAllowed, newGate);
    }

    WaveProgress allowing(int failures) {
        return new WaveProgress(current, waiting, failed, failures, gate);
    }

    /** {@return with so many more tasks of a wave that wait, and that have failed} */
    WaveProgress counting(int wave, int moreWaiting, int moreFailed) {
        return new WaveProgress(
                current, more(waiting, wave, moreWaiting), more(failed, wave, moreFailed), failuresAllowed, gate);
    }

    private static List<Integer> more(List<Integer> counts, int wave, int more) {
        List<Integer> changed = new ArrayList<>(counts);
        changed.set(wave, counts.get(wave) + more);
        return changed;
    }

    /** {@return the next wave of which tasks wait; -1 if there is none} */
    int next() {
        for (int wave = current + 1; wave < waiting.size(); wave++) {
            if (waiting.get(wave) > 0) {
                return wave;
            }
        }
        return -1;
    }

    /** {@return how many tasks of later waves wait} */
    int ahead() {
        return waiting.subList(current + 1, waiting.size()).stream()
                .mapToInt(Integer::intValue)
                .sum();
    }
}
