package io.github.kobe.spring.internal.settings;

import io.github.kobe.Rate;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.boot.convert.DurationStyle;

/** Rates as texts, which can be read again. */
public final class RateText {

    private static final List<ChronoUnit> UNITS =
            List.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS, ChronoUnit.MILLIS);

    private RateText() {}

    /**
     * Writes a rate as one text, with its name if it has another one than {@link Rate#REQUESTS}.
     *
     * @param rate the rate
     * @return a text that {@link NamedRateSetting#valueOf} reads as the same rate
     */
    public static String of(Rate rate) {
        if (rate.isUnlimited()) {
            return LimitSetting.UNLIMITED;
        }
        return rate.name().equals(Rate.REQUESTS) ? withoutName(rate) : withName(rate);
    }

    /**
     * Writes the rates of a group as one text, each with its name if there are several.
     *
     * @param rates the rates; none: any number may start
     * @return a text that is read as the same rates where a list of them is
     */
    public static String of(List<Rate> rates) {
        return switch (rates.size()) {
            case 0 -> LimitSetting.UNLIMITED;
            case 1 -> of(rates.getFirst());
            default -> rates.stream().map(RateText::withName).collect(Collectors.joining(", "));
        };
    }

    private static String withName(Rate rate) {
        return rate.name() + " " + withoutName(rate);
    }

    private static String withoutName(Rate rate) {
        Duration per = rate.per();
        String window = UNITS.stream()
                .filter(unit -> per.toNanos() % unit.getDuration().toNanos() == 0)
                .findFirst()
                .map(unit -> DurationStyle.SIMPLE.print(per, unit))
                .orElseGet(per::toString);
        return rate.limit() + " per " + window + " burst " + rate.burst()
                + (rate.defaultCost() == 1 ? "" : " default-cost " + rate.defaultCost())
                + (rate.isRefunded() ? "" : " refund false");
    }
}
