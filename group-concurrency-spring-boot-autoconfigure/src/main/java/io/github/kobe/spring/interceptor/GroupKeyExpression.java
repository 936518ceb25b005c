package io.github.kobe.spring.interceptor;

import io.github.kobe.spring.text.PrintableText;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * The group of an annotated method: texts and expressions in a row. Only the annotation's own text is ever parsed; what a
 * placeholder or an argument holds is taken as it is.
 */
final class GroupKeyExpression {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final String ACTION =
            "Mend the group: text as \"exports\", a template as \"tenant:#{#tenantId}\", or an expression as"
                    + " \"#tenantId\".";
    private static final String TEMPLATE_MARK = "#{";
    private static final Pattern VARIABLE = Pattern.compile("#[\\p{L}_]");

    private final Method method;
    private final List<Part> parts;

    private GroupKeyExpression(Method method, List<Part> parts) {
        this.method = method;
        this.parts = parts;
    }

    /**
     * Reads an annotation's group.
     *
     * @param text the annotation's text
     * @param element where the annotation is
     * @param method the method that it holds for
     * @param check knows the method's variables
     * @param placeholders fills placeholders
     * @throws InvalidGroupConcurrentException if it can't be read
     */
    static GroupKeyExpression parse(
            String text, AnnotatedElement element, Method method, ExpressionCheck check, Placeholders placeholders) {
        List<Part> parts = new ArrayList<>();
        for (Expression expression : expressions(text, element)) {
            if (expression instanceof LiteralExpression literal) {
                parts.add(new Part(placeholders.fill(literal.getExpressionString(), element, "group"), null));
            } else {
                SpelExpression spel = (SpelExpression) expression;
                String problem = check.problemOf(spel.getAST());
                if (problem != null) {
                    throw unreadable(element, "\"" + text + "\"", problem);
                }
                parts.add(new Part("", spel));
            }
        }
        if (parts.stream().allMatch(part -> part.expression == null)
                && parts.stream().allMatch(part -> part.text.isBlank())) {
            String filled = parts.stream().map(Part::text).collect(Collectors.joining());
            throw unreadable(element, placeholders.tell(text, filled), "is blank");
        }
        return new GroupKeyExpression(method, List.copyOf(parts));
    }

    private static List<Expression> expressions(String text, AnnotatedElement element) {
        try {
            if (text.contains(TEMPLATE_MARK)) {
                Expression template = PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
                return template instanceof CompositeStringExpression composite
                        ? List.of(composite.getExpressions())
                        : List.of(template);
            }
            if (VARIABLE.matcher(text).find()) {
                return List.of(PARSER.parseRaw(text));
            }
            return List.of(new LiteralExpression(text));
        } catch (ParseException failure) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "has the group \"" + text + "\", which can't be read as an expression: " + failure.getMessage(),
                    ACTION,
                    failure);
        }
    }

    private static InvalidGroupConcurrentException unreadable(AnnotatedElement element, String told, String problem) {
        return new InvalidGroupConcurrentException(element, "has the group " + told + ", which " + problem, ACTION);
    }

    /**
     * Gives the key of one call.
     *
     * @throws IllegalArgumentException if a part of it is null or blank, or can't be evaluated
     */
    String evaluate(Supplier<EvaluationContext> context) {
        if (parts.size() == 1 && parts.getFirst().expression == null) {
            return parts.getFirst().text;
        }
        EvaluationContext evaluated = context.get();
        StringBuilder key = new StringBuilder();
        for (Part part : parts) {
            key.append(part.expression == null ? part.text : valueOf(part.expression, evaluated));
        }
        return key.toString();
    }

    /** Adds the methods and fields that its expressions read. */
    void addReached(Class<?> targetClass, Set<Member> reached) {
        ReachedMembers members = new ReachedMembers(method, targetClass, reached);
        for (Part part : parts) {
            if (part.expression != null) {
                members.addAllOf(part.expression.getAST());
            }
        }
    }

    private String valueOf(SpelExpression expression, EvaluationContext context) {
        Object value;
        try {
            value = expression.getValue(context);
        } catch (EvaluationException failure) {
            throw new IllegalArgumentException(
                    nameOf(expression) + " can't be evaluated: "
                            + PrintableText.inOneLine(String.valueOf(failure.getMessage())),
                    failure);
        }
        if (value == null || value.toString().isBlank()) {
            throw new IllegalArgumentException(nameOf(expression) + " is " + (value == null ? "null" : "blank"));
        }
        return value.toString();
    }

    private String nameOf(SpelExpression expression) {
        return "The group of " + InvalidGroupConcurrentException.nameOf(method) + ": '"
                + expression.getExpressionString() + "'";
    }

    /** A text, or an expression. */
    private record Part(String text, @Nullable SpelExpression expression) {}
}
