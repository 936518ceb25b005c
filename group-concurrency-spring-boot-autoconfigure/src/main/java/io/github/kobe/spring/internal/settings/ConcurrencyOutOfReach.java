package io.github.kobe.spring.internal.settings;

import io.github.kobe.GroupLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns of rules in the settings that let more work run than may be in flight. That is allowed: the smaller number counts. A rule
 * that has only inherited its concurrency, or has no limit of it, says nothing that can't be reached.
 */
final class ConcurrencyOutOfReach {

    private static final Log LOGGER = LogFactory.getLog(ConcurrencyOutOfReach.class);

    /** Of all the others, how many are named. */
    private static final int NAMED = 3;

    private record Rule(List<String> place, int maxConcurrency, int maxInFlight, boolean inherited) {}

    private final BoundSettings settings;
    /** The first, and those that are named with it. */
    private final List<Rule> found = new ArrayList<>();

    private int more;

    ConcurrencyOutOfReach(BoundSettings settings) {
        this.settings = settings;
    }

    /**
     * Looks at a rule.
     *
     * @param place gives the elements of its name, after the prefix; asked only for what is told
     * @param limits what it says itself
     * @param maxInFlight how many may be in flight, also if it inherits that; empty: as many as may run
     */
    void look(Supplier<String[]> place, GroupLimits limits, OptionalInt maxInFlight) {
        int concurrency = limits.maxConcurrency().orElse(Integer.MAX_VALUE);
        if (concurrency < Integer.MAX_VALUE && maxInFlight.orElse(Integer.MAX_VALUE) < concurrency) {
            if (found.size() > NAMED) {
                more++;
                return;
            }
            boolean inherited = limits.maxInFlight().isEmpty();
            found.add(new Rule(List.of(place.get()), concurrency, maxInFlight.getAsInt(), inherited));
        }
    }

    /** Writes one line, however many there are. */
    void warn() {
        if (found.isEmpty()) {
            return;
        }
        Rule rule = found.getFirst();
        String others = found.size() == 1 ? "" : " The same holds for " + others() + ".";
        LOGGER.warn(PrintableText.inOneLine(concurrencyOf(rule) + " is " + rule.maxConcurrency()
                + " and can't be reached, since max-in-flight is " + rule.maxInFlight()
                + (rule.inherited() ? ", which the rule inherits" : " in the same rule")
                + ": what runs is in flight too. Set max-in-flight of this rule to " + rule.maxConcurrency()
                + " or more, or its max-concurrency to " + rule.maxInFlight() + "." + others));
    }

    private String others() {
        return found.stream().skip(1).map(this::concurrencyOf).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
    }

    /** {@return the name of the setting, and where it is written} */
    private String concurrencyOf(Rule rule) {
        String[] setting =
                GroupRules.with(rule.place().toArray(String[]::new), LimitSetting.MAX_CONCURRENCY.property());
        return Optional.ofNullable(settings.find(setting))
                .map(property -> property.getName() + " (" + property.getOrigin() + ")")
                .orElseGet(() -> String.join(".", setting));
    }
}
