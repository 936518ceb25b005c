package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.internal.settings.LimitSetting;
import io.github.kobe.spring.internal.settings.PrintableText;
import io.github.kobe.spring.internal.settings.RateText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The differences between two policies, by the names of the settings. */
final class PolicyChanges {

    /** A line of the log, not a list of all tenants. */
    private static final int MOST_TOLD = 20;

    private PolicyChanges() {}

    /** {@return the differences in one line} */
    static String between(GroupPolicy before, GroupPolicy after) {
        Map<String, String> old = numbersOf(before);
        Map<String, String> fresh = numbersOf(after);
        Set<String> names = new TreeSet<>(old.keySet());
        names.addAll(fresh.keySet());
        List<String> changes = new ArrayList<>();
        for (String name : names) {
            String was = old.get(name);
            String is = fresh.get(name);
            if (!Objects.equals(was, is)) {
                changes.add(name
                        + (was == null
                                ? " is set to " + is
                                : is == null ? " is no longer set" : " " + was + " -> " + is));
            }
        }
        if (changes.isEmpty()) {
            return "nothing has changed";
        }
        int more = changes.size() - MOST_TOLD;
        return String.join(", ", changes.subList(0, Math.min(changes.size(), MOST_TOLD)))
                + (more > 0 ? ", and " + more + " more" : "");
    }

    private static Map<String, String> numbersOf(GroupPolicy policy) {
        Map<String, String> numbers = new TreeMap<>();
        numbers.put("global.max-in-flight", number(policy.globalMaxInFlight()));
        numbers.put("global.headroom", number(policy.globalHeadroom()));
        numbers.put("global.rate", RateText.of(policy.globalRate()));
        numbers.put("global.queue-threshold", number(policy.globalQueueThreshold()));
        numbers.put("rejection-policy", policy.rejectionPolicy().toString());
        numbers.put("max-idle-groups", Integer.toString(policy.maxIdleGroups()));
        numbers.put("idle-timeout", policy.idleTimeout().toString());
        numbers.put("limits-refresh", period(policy.limitsRefresh()));
        numbers.put("warnings.interval", period(policy.warnInterval()));
        add(numbers, "defaults", policy.defaults());
        policy.groups().forEach((key, limits) -> add(numbers, "groups[" + PrintableText.ofKey(key) + "]", limits));
        policy.patterns().forEach((key, limits) -> add(numbers, "groups[" + PrintableText.ofKey(key) + "]", limits));
        return numbers;
    }

    private static void add(Map<String, String> numbers, String group, GroupLimits limits) {
        LimitSetting.of(limits, LimitSetting::property)
                .forEach((name, value) -> numbers.put(group + "." + name, value));
    }

    private static String period(Duration value) {
        return value.equals(GroupLimits.NO_TIMEOUT) ? "none" : value.toString();
    }

    private static String number(int value) {
        return value == Integer.MAX_VALUE ? LimitSetting.UNLIMITED : Integer.toString(value);
    }
}
