package io.github.kobe.spring.method;

import io.github.kobe.Costs;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * What the calls of an annotated method cost of the rates of their groups: for each rate that it names, a number or an expression.
 * As with {@link GroupKeyExpression}, only the annotation's own text is ever parsed.
 */
final class CostExpressions {

    /** As {@link Costs#of} has it. */
    private static final long MOST = 1_000_000_000;

    private static final String ALLOWED = "a whole number from 0 to " + MOST;
    private static final String ACTION = "Name a rate, and after a = what a call costs of it, as " + ALLOWED
            + " or an expression that gives one: \"requests=2\" or \"tokens=#prompt.length() / 4\".";

    /** As a rate may be called. */
    private static final Pattern RATE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private static final Pattern NUMBER = Pattern.compile("\\d{1,10}");

    private final Method method;
    private final List<Computed> computed;
    private final Map<String, Integer> places;

    /** What is the same for each call. */
    private final Costs fixed;

    private CostExpressions(Method method, Costs fixed, List<Computed> computed, Map<String, Integer> places) {
        this.method = method;
        this.fixed = fixed;
        this.computed = List.copyOf(computed);
        this.places = places;
    }

    /**
     * Reads an annotation's costs.
     *
     * @param texts the annotation's texts
     * @param element where the annotation is
     * @param method the method that it holds for
     * @param check knows the method's variables
     * @param placeholders fills placeholders
     * @throws InvalidGroupConcurrentException if one can't be read
     */
    static CostExpressions parse(
            String[] texts, AnnotatedElement element, Method method, ExpressionCheck check, Placeholders placeholders) {
        Costs fixed = Costs.unsaid();
        List<Computed> computed = new ArrayList<>();
        Set<String> rates = new HashSet<>();
        for (String text : texts) {
            int equals = text.indexOf('=');
            String rate = text.substring(0, Math.max(equals, 0)).strip();
            if (!RATE.matcher(rate).matches()) {
                throw unreadable(element, "\"" + text + "\"", "names no rate before a =");
            }
            if (!rates.add(rate)) {
                throw unreadable(element, "\"" + text + "\"", "names the rate " + rate + " for the second time");
            }
            List<Expression> parts =
                    GroupKeyExpression.expressions(text.substring(equals + 1).strip(), element, "cost", ACTION);
            Expression part = parts.getFirst();
            if (parts.size() > 1) {
                throw unreadable(element, "\"" + text + "\"", "is more than one number or expression");
            }
            if (part instanceof LiteralExpression literal) {
                String number = placeholders
                        .fill(literal.getExpressionString(), element, "cost")
                        .strip();
                if (!NUMBER.matcher(number).matches() || Long.parseLong(number) > MOST) {
                    throw unreadable(element, placeholders.tell(text, rate + "=" + number), "is not " + ALLOWED);
                }
                fixed = fixed.and(rate, Integer.parseInt(number));
            } else {
                SpelExpression expression = (SpelExpression) part;
                String problem = check.problemOf(expression.getAST());
                if (problem != null) {
                    throw unreadable(element, "\"" + text + "\"", problem);
                }
                computed.add(new Computed(rate, expression));
            }
        }
        return new CostExpressions(method, fixed, computed, check.places());
    }

    private static InvalidGroupConcurrentException unreadable(AnnotatedElement element, String told, String problem) {
        return new InvalidGroupConcurrentException(element, "has the cost " + told + ", which " + problem, ACTION);
    }

    /**
     * Gives the costs of one call.
     *
     * @param target what is called; null: nothing is there
     * @param args the arguments
     * @param beans finds the beans that expressions name; null: they may name none
     * @throws IllegalArgumentException if one can't be evaluated, or gives no whole number that a cost may be
     */
    Costs evaluate(@Nullable Object target, @Nullable Object[] args, @Nullable BeanResolver beans) {
        if (computed.isEmpty()) {
            return fixed;
        }
        KeyEvaluationContext context = new KeyEvaluationContext(method, target, args, places, beans);
        Costs costs = fixed;
        for (Computed cost : computed) {
            String name = "The cost of " + InvalidGroupConcurrentException.nameOf(method) + ": '"
                    + cost.expression.getExpressionString() + "'";
            costs = costs.and(cost.rate, numberOf(context.valueOf(cost.expression, name), name));
        }
        return costs;
    }

    private static int numberOf(@Nullable Object value, String name) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is null");
        }
        long number = switch (value) {
            case Integer whole -> whole;
            case Long whole -> whole;
            case Short whole -> whole;
            case Byte whole -> whole;
            case BigInteger whole when whole.bitLength() < Long.SIZE -> whole.longValue();
            default -> -1;
        };
        if (number < 0 || number > MOST) {
            throw new IllegalArgumentException(name + " is " + PrintableText.ofKey(value.toString()) + ", of the type "
                    + value.getClass().getTypeName() + ", and not " + ALLOWED);
        }
        return (int) number;
    }

    /** Adds the methods and fields that its expressions read. */
    void addReached(Class<?> targetClass, Set<Member> reached) {
        ReachedMembers members = new ReachedMembers(method, places, targetClass, reached);
        computed.forEach(cost -> members.addAllOf(cost.expression.getAST()));
    }

    /** What is another for each call. */
    private record Computed(String rate, SpelExpression expression) {}
}
