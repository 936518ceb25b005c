package io.github.kobe.spring.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Finds at start-up what would always fail in an annotation's expression: unknown variables, and operations that are not
 * allowed.
 */
final class ExpressionCheck {

    private final List<String> known = new ArrayList<>(List.of("root"));
    private final Map<String, Integer> places = new HashMap<>();
    private final boolean namesMissing;
    private final boolean beanReferences;

    ExpressionCheck(Method method, ParameterNameDiscoverer discoverer, boolean beanReferences) {
        this.beanReferences = beanReferences;
        @Nullable String @Nullable [] names = discoverer.getParameterNames(method);
        namesMissing = names == null && method.getParameterCount() > 0;
        // A suspend function's last parameter has no name, and is nobody's to read.
        int count = names == null ? method.getParameterCount() : names.length;
        for (int i = 0; i < count; i++) {
            String name = names == null ? null : names[i];
            if (name != null) {
                known.add(name);
            }
            known.add("p" + i);
            known.add("a" + i);
            // As Spring's own annotations have it: of two of the same name, the one further behind.
            places.put("a" + i, i);
            places.put("p" + i, i);
            if (name != null) {
                places.put(name, i);
            }
        }
        places.keySet().removeAll(List.of("root", "this"));
    }

    /** {@return the places of the method's arguments, by the names of their variables} */
    Map<String, Integer> places() {
        return Map.copyOf(places);
    }

    /** {@return what is wrong with the expression; null if nothing is} */
    @Nullable
    String problemOf(SpelNode node) {
        return problemOf(node, true);
    }

    /** @param atRoot whether a bare name here is a property of the root object */
    private @Nullable String problemOf(SpelNode node, boolean atRoot) {
        String problem = ownProblemOf(node, atRoot);
        for (int i = 0; problem == null && i < node.getChildCount(); i++) {
            boolean elsewhere = node instanceof Indexer
                    || node instanceof InlineMap
                    || node instanceof Projection
                    || node instanceof Selection
                    || (node instanceof CompoundExpression && i > 0);
            problem = problemOf(node.getChild(i), atRoot && !elsewhere);
        }
        return problem;
    }

    private @Nullable String ownProblemOf(SpelNode node, boolean atRoot) {
        String text = node.toStringAST();
        return switch (node) {
            case VariableReference variable -> {
                String name = text.substring(1);
                yield name.equals("this") || known.contains(name)
                        ? null
                        : "has the unknown variable " + text + "; " + knownNames();
            }
            case PropertyOrFieldReference property
            when atRoot && !CallRoot.PROPERTIES.contains(property.getName()) ->
                "has the unknown name '" + property.getName() + "', which needs a # before it if it is a variable; "
                        + knownNames();
            case FunctionReference function -> "calls the function " + text + ", and there are none";
            case TypeReference type -> "names a type, which is not allowed: " + text;
            case ConstructorReference constructor -> "makes an object, which is not allowed: " + text;
            case Assign assignment -> "assigns a value, which is not allowed: " + text;
            case OpInc increment -> "assigns a value, which is not allowed: " + text;
            case OpDec decrement -> "assigns a value, which is not allowed: " + text;
            case BeanReference bean
            when !beanReferences ->
                "names the bean " + text + ", which needs group-concurrency.annotation.bean-references: true";
            default -> null;
        };
    }

    private String knownNames() {
        String names = known.stream().map(name -> "#" + name).collect(Collectors.joining(", "));
        return "known are " + names
                + (namesMissing ? " (no parameter names: the class was compiled without -parameters)" : "");
    }
}
