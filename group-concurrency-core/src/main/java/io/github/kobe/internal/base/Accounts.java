package io.github.kobe.internal.base;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** How the work of removed groups ended, by rule. */
public final class Accounts {

    private final ConcurrentHashMap<String, RuleAccount> byRule = new ConcurrentHashMap<>();
    private final RuleAccount ofNoRule;

    /** Counts whose rule is no longer in the policy, and those that never belonged to a group. */
    public final Counters others = new Counters();

    Accounts() {
        ofNoRule = new RuleAccount(this, null);
    }

    /** {@return the account of a rule; {@code null}: of groups that fall under none} */
    public RuleAccount of(@Nullable String rule) {
        if (rule == null) {
            return ofNoRule;
        }
        RuleAccount known = byRule.get(rule);
        if (known != null) {
            return known;
        }
        RuleAccount made = new RuleAccount(this, rule);
        known = byRule.putIfAbsent(rule, made);
        return known != null ? known : made;
    }

    /** Drops the accounts of all rules that {@code policy} hasn't. It is in force, and stays so meanwhile. */
    public void keepOnly(CompiledPolicy policy) {
        byRule.values().removeIf(account -> {
            boolean drops = account.rule != null && !policy.hasRule(account.rule);
            if (drops) {
                account.drop();
            }
            return drops;
        });
    }

    /** Adds what all groups that are gone have counted. */
    public void addTo(Counters sum) {
        others.addTo(sum);
        byRule.values().forEach(account -> account.addTo(sum));
        ofNoRule.addTo(sum);
    }
}
