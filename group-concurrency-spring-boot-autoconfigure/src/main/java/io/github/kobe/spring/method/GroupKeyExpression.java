package io.github.kobe.spring.method;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;

/**
 * The group of an annotated method: a sequence of texts and expressions. Only the annotation's own text is ever parsed;
 * the value of a placeholder or an argument is used unchanged.
 */
final class GroupKeyExpression {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final String ACTION =
            "Correct the group: a text such as \"exports\", a template such as \"tenant:#{#tenantId}\", or an"
                    + " expression such as \"#tenantId\".";
    private static final String NO_TEXT =
            ", which doesn't override toString: each object would be a separate group, so nothing would be limited";
    private static final String OPTIONAL = ", so all that are empty would be the same group, by accident";
    private static final String TEMPLATE_MARK = "#{";
    private static final Pattern VARIABLE = Pattern.compile("#[\\p{L}_]");

    private final Method method;
    private final Part[] parts;
    private final Map<String, Integer> places;

    private GroupKeyExpression(Method method, List<Part> parts, Map<String, Integer> places) {
        this.method = method;
        this.parts = parts.toArray(Part[]::new);
        this.places = places;
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
                parts.add(new Part(placeholders.fill(literal.getExpressionString(), element, "group"), null, -1));
            } else {
                SpelExpression spel = (SpelExpression) expression;
                String problem = check.problemOf(spel.getAST());
                if (problem != null) {
                    throw unreadable(element, "\"" + text + "\"", problem);
                }
                int place = placeOf(spel.getAST(), check.places());
                if (place >= 0) {
                    requireText(method.getParameterTypes()[place], text, spel, element);
                }
                parts.add(new Part("", spel, place));
            }
        }
        if (parts.stream().allMatch(part -> part.expression == null)
                && parts.stream().allMatch(part -> part.text.isBlank())) {
            String filled = parts.stream().map(Part::text).collect(Collectors.joining());
            throw unreadable(element, placeholders.tell(text, filled), "is blank");
        }
        return new GroupKeyExpression(method, parts, check.places());
    }

    /** {@return the place of the argument that an expression is; -1: it is more than an argument} */
    private static int placeOf(SpelNode node, Map<String, Integer> places) {
        return node instanceof VariableReference variable
                ? places.getOrDefault(variable.toStringAST().substring(1), -1)
                : -1;
    }

    /**
     * Fails where the declared type tells that each object is a key of its own, which an abstract one doesn't, or that
     * there may be no value.
     */
    private static void requireText(Class<?> type, String group, SpelExpression spel, AnnotatedElement element) {
        if (isOptional(type)) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "has the group \"" + group + "\", where " + spel.getExpressionString() + " is of the type "
                            + type.getTypeName() + OPTIONAL,
                    "Write " + spel.getExpressionString() + ".orElse(...), with the group of those that are empty.");
        }
        Method toString = type.isArray() || !Modifier.isAbstract(type.getModifiers())
                ? ClassUtils.getMethodIfAvailable(type, "toString")
                : null;
        if (type != Object.class && toString != null && toString.getDeclaringClass() == Object.class) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "has the group \"" + group + "\", where " + spel.getExpressionString() + " is of the type "
                            + type.getTypeName() + NO_TEXT,
                    "Name a property that distinguishes them, such as " + spel.getExpressionString()
                            + ".id, or override toString in the type.");
        }
    }

    private static boolean isOptional(Class<?> type) {
        return type == Optional.class
                || type == OptionalInt.class
                || type == OptionalLong.class
                || type == OptionalDouble.class;
    }

    /** {@return what of an annotation's group is text, as it is written there} */
    static List<String> textsIn(String group, AnnotatedElement element) {
        return expressions(group, element).stream()
                .filter(LiteralExpression.class::isInstance)
                .map(Expression::getExpressionString)
                .toList();
    }

    private static List<Expression> expressions(String text, AnnotatedElement element) {
        return expressions(text, element, "group", ACTION);
    }

    /**
     * {@return the texts and expressions that a text of an annotation consists of}
     *
     * @param attribute what the text is of
     * @param action what to do if it can't be read
     * @throws InvalidGroupConcurrentException if it can't
     */
    static List<Expression> expressions(String text, AnnotatedElement element, String attribute, String action) {
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
                    "has the " + attribute + " \"" + text + "\", which can't be read as an expression: "
                            + failure.getMessage(),
                    action,
                    failure);
        }
    }

    private static InvalidGroupConcurrentException unreadable(AnnotatedElement element, String told, String problem) {
        return new InvalidGroupConcurrentException(element, "has the group " + told + ", which " + problem, ACTION);
    }

    /**
     * Gives the key of one call.
     *
     * @param target what is called; null: nothing is there
     * @param args the arguments
     * @param beans finds the beans that expressions name; null: they may name none
     * @throws IllegalArgumentException if a part of it is null or blank, or can't be evaluated
     */
    String evaluate(@Nullable Object target, @Nullable Object[] args, @Nullable BeanResolver beans) {
        KeyEvaluationContext context = null;
        String key = "";
        for (Part part : parts) {
            String text = part.text;
            SpelExpression expression = part.expression;
            if (expression != null && part.place >= 0) {
                text = textOf(args[part.place], expression);
            } else if (expression != null) {
                context = context == null ? new KeyEvaluationContext(method, target, args, places, beans) : context;
                text = textOf(context.valueOf(expression, nameOf(expression)), expression);
            }
            key = key.isEmpty() ? text : key.concat(text);
        }
        return key;
    }

    /** Adds the methods and fields that its expressions read. */
    void addReached(Class<?> targetClass, Set<Member> reached) {
        ReachedMembers members = new ReachedMembers(method, places, targetClass, reached);
        for (Part part : parts) {
            if (part.expression != null) {
                members.addAllOf(part.expression.getAST());
            }
        }
    }

    private String textOf(@Nullable Object value, SpelExpression expression) {
        if (value == null) {
            throw new IllegalArgumentException(nameOf(expression) + " is null");
        }
        if (isOptional(value.getClass())) {
            throw new IllegalArgumentException(
                    nameOf(expression) + " is of the type " + value.getClass().getTypeName() + OPTIONAL);
        }
        String text = value.toString();
        if (text.isBlank()) {
            throw new IllegalArgumentException(nameOf(expression) + " is blank");
        }
        if (!(value instanceof String) && isOfObject(text, value.getClass().getName())) {
            throw new IllegalArgumentException(
                    nameOf(expression) + " is of the type " + value.getClass().getTypeName() + NO_TEXT);
        }
        return text;
    }

    private static boolean isOfObject(String text, String type) {
        return text.length() > type.length() && text.charAt(type.length()) == '@' && text.startsWith(type);
    }

    private String nameOf(SpelExpression expression) {
        return "The group of " + InvalidGroupConcurrentException.nameOf(method) + ": '"
                + expression.getExpressionString() + "'";
    }

    /**
     * A text, or an expression.
     *
     * @param place where the expression is an argument and no more, its place; else -1
     */
    private record Part(String text, @Nullable SpelExpression expression, int place) {}
}
