package io.github.kobe.spring.method;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the methods and fields that an annotation's expression reads, as far as declared types show them: members of a
 * collection's element, or of a type parameter, are known only when the expression is evaluated.
 */
final class ReachedMembers {

    private final Method method;
    private final Map<String, Integer> places;
    private final Class<?> targetClass;
    private final Set<Member> reached;

    /**
     * @param places of the method's arguments, by the names of their variables
     * @param reached where they are added
     */
    ReachedMembers(Method method, Map<String, Integer> places, Class<?> targetClass, Set<Member> reached) {
        this.method = method;
        this.places = places;
        this.targetClass = targetClass;
        this.reached = reached;
    }

    void addAllOf(SpelNode expression) {
        Class<?> unused = follow(expression, CallRoot.class);
    }

    /** {@return the type of what a node gives, when it is asked of a type; null: unknown} */
    private @Nullable Class<?> follow(SpelNode node, @Nullable Class<?> type) {
        if (node instanceof CompoundExpression) {
            Class<?> current = type;
            for (int i = 0; i < node.getChildCount(); i++) {
                current = follow(node.getChild(i), current);
            }
            return current;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            Class<?> unused = follow(node.getChild(i), CallRoot.class);
        }
        return switch (node) {
            case VariableReference variable -> variable(variable.toStringAST().substring(1));
            case PropertyOrFieldReference property when type != null -> property(type, property.getName());
            case MethodReference call when type != null -> call(type, call.getName());
            default -> null;
        };
    }

    private @Nullable Class<?> variable(String name) {
        if (name.equals("root")) {
            return CallRoot.class;
        }
        Integer place = places.get(name);
        return place == null ? null : method.getParameterTypes()[place];
    }

    private @Nullable Class<?> property(Class<?> type, String name) {
        PropertyDescriptor property = BeanUtils.getPropertyDescriptor(type, name);
        Method getter = property == null ? null : property.getReadMethod();
        if (getter == null) {
            getter = ReflectionUtils.findMethod(type, name);
        }
        if (getter != null) {
            reached.add(getter);
            return type == CallRoot.class && name.equals("target") ? targetClass : getter.getReturnType();
        }
        Field field = ReflectionUtils.findField(type, name);
        if (field != null && Modifier.isPublic(field.getModifiers())) {
            reached.add(field);
            return field.getType();
        }
        return null;
    }

    private @Nullable Class<?> call(Class<?> type, String name) {
        List<Method> overloads = Arrays.stream(type.getMethods())
                .filter(each -> each.getName().equals(name))
                .toList();
        reached.addAll(overloads);
        List<? extends Class<?>> results =
                overloads.stream().map(Method::getReturnType).distinct().toList();
        return results.size() == 1 ? results.getFirst() : null;
    }
}
