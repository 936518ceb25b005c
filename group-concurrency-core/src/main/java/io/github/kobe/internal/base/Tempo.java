package io.github.kobe.internal.base;

import io.github.kobe.Rate;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a rate as the engine uses them: in any window of a period no more than {@link #limit} are started, and no
 * more than {@link #burst} at once.
 *
 * <p>What is started at once is later missing in the window, so {@code limit - burst + 1} a period can be kept up: {@link
 * #sustained}, here n. Between two of those lies an <i>interval</i>, a period divided by n. It is counted exactly, in whole
 * nanoseconds and n-ths of one.
 *
 * <p>A limit is 1 to 10⁹, a burst 1 to the limit, a period up to 31 days, and {@code limit} intervals are ten years at most. So
 * no sum here overflows.
 *
 * @param limit how many there may be in a period
 * @param burst how many there may be at once
 * @param period how long that is, in nanoseconds
 * @param sustained how many a period can be kept up: n
 * @param wholes the whole nanoseconds of an interval
 * @param parts the rest of it, in n-ths of one
 * @param mostUnits more units than so many count as {@link #FARTHEST}, unless it is no more than the limit
 */
public record Tempo(int limit, int burst, long period, int sustained, long wholes, int parts, long mostUnits) {

    /** Ten years: nothing is put off for longer. */
    public static final long FARTHEST = TimeUnit.DAYS.toNanos(3_652);

    /** So many times the n-ths of an interval fit into a long, as there are fewer than 10⁹ of them. */
    private static final long MOST_UNITS = 9_000_000_000L;

    /** Takes numbers that are in their ranges. */
    public Tempo(int limit, int burst, long period) {
        this(limit, burst, period, limit - burst + 1);
    }

    private Tempo(int limit, int burst, long period, int sustained) {
        this(
                limit,
                burst,
                period,
                sustained,
                period / sustained,
                (int) (period % sustained),
                Math.min(MOST_UNITS, FARTHEST / (period / sustained + 1)));
    }

    /** {@return the numbers of a rate, which are in their ranges; {@code null}: there is no limit} */
    public static @Nullable Tempo of(Rate rate) {
        return rate.isUnlimited()
                ? null
                : new Tempo(rate.limit(), rate.burst(), rate.per().toNanos());
    }

    /** {@return the whole nanoseconds of so many intervals; negative for a negative number} {@code parts} has the rest. */
    public long wholes(long units) {
        long many = Math.abs(units);
        if (isTooMany(many)) {
            return units < 0 ? -FARTHEST : FARTHEST;
        }
        long whole = many * wholes + many * parts / sustained;
        return units < 0 ? -whole : whole;
    }

    /** {@return the n-ths of a nanosecond of so many intervals, beside the {@code wholes}: less than n of them, with the same sign} */
    public int parts(long units) {
        return isTooMany(Math.abs(units)) ? 0 : (int) (units * parts % sustained);
    }

    private boolean isTooMany(long units) {
        return units > limit && units > mostUnits;
    }

    /** {@return how many whole intervals are in that time, at most so many as the limit} A few may be missing of very many. */
    public long unitsIn(long nanos) {
        return (long) Math.min(limit, nanos * (double) sustained / period);
    }

    /** {@return how many intervals that time takes at most: no fewer than it does, and no more than two too many} */
    public long unitsOf(long nanos) {
        return (long) Math.min(MOST_UNITS, Math.ceil(nanos * (double) sustained / period) + 1);
    }
}
