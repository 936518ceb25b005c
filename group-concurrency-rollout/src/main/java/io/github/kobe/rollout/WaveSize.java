package io.github.kobe.rollout;

/**
 * How many tenants a wave of a plan has: a number, or a percentage of all tenants of the plan. If fewer tenants are
 * left, the wave has those.
 *
 * @param value the number of tenants, at least 1, or the percentage, from 1 to 100; checked when the plan is created
 * @param isPercentage whether it is a percentage
 * @since 0.1.0
 */
public record WaveSize(int value, boolean isPercentage) {

    /**
     * {@return a number of tenants}
     *
     * @param number how many, at least 1
     */
    public static WaveSize tenants(int number) {
        return new WaveSize(number, false);
    }

    /**
     * {@return a percentage of all tenants of the plan, rounded up}
     *
     * @param percentage of all of them, from 1 to 100
     */
    public static WaveSize percent(int percentage) {
        return new WaveSize(percentage, true);
    }

    /** {@return whether the number is at least 1, and a percentage at most 100} */
    public boolean isLegal() {
        return value >= 1 && (!isPercentage || value <= 100);
    }

    /**
     * {@return how many tenants that is in a plan of so many}
     *
     * @param all how many tenants the plan has
     */
    public int of(int all) {
        return isPercentage ? (int) ((99L + (long) all * value) / 100) : value;
    }

    @Override
    public String toString() {
        return isPercentage ? value + "%" : String.valueOf(value);
    }
}
