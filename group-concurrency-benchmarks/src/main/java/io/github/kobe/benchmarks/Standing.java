package io.github.kobe.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How everybody has done a workload.
 *
 * @param measured what was measured of each, by round
 */
record Standing(Workload workload, Map<Entrant, double[]> measured) {

    /** {@return what the goal is about: the ratio to the reference, round by round, or without one the value itself} */
    Optional<Spread> score(Entrant entrant) {
        return score(entrant, workload.goal().reference());
    }

    /** {@return what was measured, in the workload's unit} */
    Optional<Spread> values(Entrant entrant) {
        return score(entrant, null);
    }

    private Optional<Spread> score(Entrant entrant, @Nullable Entrant reference) {
        double[] own = measured.get(entrant);
        double[] others = reference == null ? null : measured.get(reference);
        if (own == null || (reference != null && others == null)) {
            return Optional.empty();
        }
        double[] scores = IntStream.range(0, own.length)
                .mapToDouble(round -> others == null ? own[round] : own[round] / others[round])
                .filter(Double::isFinite)
                .toArray();
        return scores.length == 0 ? Optional.empty() : Optional.of(Spread.of(scores));
    }

    /** {@return whom the goal is for: the engine, with an option if that is what is measured} */
    Entrant subject() {
        return isComparison()
                ? workload.entrants().getFirst()
                : workload.entrants().getLast();
    }

    /** {@return whom the subject is measured against, where it isn't a comparison} */
    Entrant base() {
        return Objects.requireNonNullElse(workload.goal().reference(), Entrant.OURS);
    }

    /** {@return whether the engine is measured beside its alternatives, and not against itself} */
    boolean isComparison() {
        return Entrant.FIELDS.stream().anyMatch(this::isAmong);
    }

    /** {@return whether these are whom the engine is measured beside} */
    boolean isAmong(List<Entrant> field) {
        return field.containsAll(workload.entrants());
    }

    Optional<Boolean> isMet() {
        return score(subject()).map(score -> workload.goal().isMetBy(score.median()));
    }

    /** {@return how many rounds counted for the one that took part in the fewest} */
    long fewestRounds() {
        return measured.values().stream()
                .mapToLong(
                        values -> Arrays.stream(values).filter(Double::isFinite).count())
                .min()
                .orElse(0);
    }
}
