package io.github.kobe.spring.interceptor;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.annotation.GroupConcurrent;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodClassKey;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotated methods of the application's classes. Each class is looked at as a whole when its first bean is
 * made, so that everything that is wrong with its annotations fails the start-up.
 */
public final class GuardedMethods {

    static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    private static final Log LOGGER = LogFactory.getLog(GuardedMethods.class);

    private final Placeholders placeholders;
    private final BeanFactory beans;
    private final boolean beanReferences;
    private final Map<Class<?>, Map<Method, GuardedMethod>> byClass = new ConcurrentHashMap<>();
    private final Set<Class<?>> warned = ConcurrentHashMap.newKeySet();
    private final Map<MethodClassKey, Optional<GuardedMethod>> byCall = new ConcurrentHashMap<>();

    /**
     * Makes an empty store.
     *
     * @param environment fills placeholders
     * @param beans has the executors
     * @param beanReferences whether group expressions may name beans
     */
    public GuardedMethods(Environment environment, BeanFactory beans, boolean beanReferences) {
        this.placeholders = new Placeholders(environment);
        this.beans = beans;
        this.beanReferences = beanReferences;
    }

    /** {@return whether the class has a method that is to be limited} */
    boolean anyIn(Class<?> type) {
        return !type.getName().startsWith("org.springframework.")
                && AnnotationUtils.isCandidateClass(type, GroupConcurrent.class)
                && !guardedMethodsOf(ClassUtils.getUserClass(type)).isEmpty();
    }

    /** {@return what the annotated methods of a class reach by reflection: fallbacks, and what their keys are read from} */
    Set<Member> reachedFrom(Class<?> type) {
        Set<Member> reached = new LinkedHashSet<>();
        if (anyIn(type)) {
            Class<?> userClass = ClassUtils.getUserClass(type);
            guardedMethodsOf(userClass).values().forEach(method -> method.addReached(userClass, reached));
        }
        return reached;
    }

    /** {@return what is known of a method, which may be an interface's, of a class; null if it isn't to be limited} */
    @Nullable
    GuardedMethod find(Method method, Class<?> targetClass) {
        return byCall.computeIfAbsent(new MethodClassKey(method, targetClass), call -> {
                    Class<?> type = ClassUtils.getUserClass(targetClass);
                    Method specific = Proxy.isProxyClass(type) ? method : AopUtils.getMostSpecificMethod(method, type);
                    return Optional.ofNullable(guardedMethodsOf(type).get(specific));
                })
                .orElse(null);
    }

    private Map<Method, GuardedMethod> guardedMethodsOf(Class<?> type) {
        Map<Method, GuardedMethod> known = byClass.get(type);
        if (known == null) {
            known = inspect(type);
            byClass.put(type, known);
        }
        return known;
    }

    private Map<Method, GuardedMethod> inspect(Class<?> type) {
        Map<Method, GuardedMethod> guarded = new HashMap<>();
        if (Proxy.isProxyClass(type)) {
            // Made from interfaces, as clients and repositories are; its own methods are final and know no names.
            for (Class<?> implemented : type.getInterfaces()) {
                inspect(implemented, implemented.getMethods(), guarded);
            }
        } else {
            inspect(type, ReflectionUtils.getUniqueDeclaredMethods(type, GuardedMethods::isUserMethod), guarded);
        }
        return Map.copyOf(guarded);
    }

    private void inspect(Class<?> type, Method[] methods, Map<Method, GuardedMethod> guarded) {
        GroupConcurrent onType = AnnotatedElementUtils.findMergedAnnotation(type, GroupConcurrent.class);
        for (Method method : methods) {
            inspect(method, type, onType, guarded);
        }
    }

    private void inspect(
            Method method, Class<?> type, @Nullable GroupConcurrent onType, Map<Method, GuardedMethod> guarded) {
        GroupConcurrent onMethod = AnnotatedElementUtils.findMergedAnnotation(method, GroupConcurrent.class);
        String obstacle = obstacleTo(method);
        if (onMethod != null) {
            if (obstacle != null) {
                throw new InvalidGroupConcurrentException(
                        method,
                        "can't work: the method is " + obstacle + ", and calls of it don't go through the proxy",
                        "Move the annotation to a method that a proxy can override, or limit the call with"
                                + " GroupExecutor.call.");
            }
            guarded.put(method, read(onMethod, method, method, type));
        } else if (onType == null || ReflectionUtils.isObjectMethod(method)) {
            return;
        } else if (obstacle == null) {
            guarded.put(method, read(onType, type, method, type));
        } else if (!Modifier.isPrivate(method.getModifiers()) && warned.add(type)) {
            LOGGER.warn("@GroupConcurrent on " + type.getName() + " doesn't limit its private, static and final"
                    + " methods, such as " + method.getName() + ": calls of them don't go through the proxy");
        }
    }

    private static boolean isUserMethod(Method method) {
        return method.getDeclaringClass() != Object.class && !method.isBridge() && !method.isSynthetic();
    }

    private static @Nullable String obstacleTo(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isStatic(modifiers)) {
            return "static";
        }
        return Modifier.isFinal(modifiers) ? "final" : null;
    }

    private GuardedMethod read(GroupConcurrent annotation, AnnotatedElement element, Method method, Class<?> type) {
        requireSupportedReturnType(element, method);
        ExpressionCheck check = new ExpressionCheck(method, PARAMETER_NAMES, beanReferences);
        return new GuardedMethod(
                method,
                GroupKeyExpression.parse(annotation.group(), element, method, check, placeholders),
                queueTimeout(annotation, element),
                annotation.fallbackMethod().isEmpty()
                        ? null
                        : FallbackMethod.find(annotation.fallbackMethod(), element, method, type),
                executor(annotation, element),
                CallStyle.of(method.getReturnType()));
    }

    private static void requireSupportedReturnType(AnnotatedElement element, Method method) {
        Class<?> type = method.getReturnType();
        if (CallStyle.of(type) != CallStyle.HERE) {
            return;
        }
        List<Class<?>> parameters = List.of(method.getParameterTypes());
        boolean suspending =
                !parameters.isEmpty() && parameters.getLast().getName().equals("kotlin.coroutines.Continuation");
        if (suspending
                || Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || isPublisher(type)) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "can't work: " + (suspending ? "it is a suspend function" : "it returns " + type.getName())
                            + ", whose end can't be seen from here",
                    "Return CompletionStage, CompletableFuture, Future, Mono or Flux, or something that is there when"
                            + " the method returns.");
        }
    }

    private static boolean isPublisher(@Nullable Class<?> type) {
        return type != null
                && (type.getName().equals("org.reactivestreams.Publisher")
                        || isPublisher(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(GuardedMethods::isPublisher));
    }

    private @Nullable Duration queueTimeout(GroupConcurrent annotation, AnnotatedElement element) {
        if (annotation.queueTimeout().isEmpty()) {
            return null;
        }
        String text = placeholders.fill(annotation.queueTimeout(), element, "queueTimeout");
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException failure) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "has the queueTimeout " + placeholders.tell(annotation.queueTimeout(), text)
                            + ", which is no duration",
                    "Write a number with a unit, such as 500ms or 5s, or an ISO-8601 duration.",
                    failure);
        }
    }

    private String executor(GroupConcurrent annotation, AnnotatedElement element) {
        String name = annotation.executor();
        if (name.isEmpty()) {
            requireOneDefault(element);
        }
        if (!name.isEmpty() && !(beans.containsBean(name) && beans.isTypeMatch(name, GroupExecutor.class))) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "has the executor \"" + name + "\", and there is no GroupExecutor bean of that name",
                    "Name a bean of the type " + GroupExecutor.class.getName() + namesOfExecutors()
                            + ", or leave the executor out.");
        }
        return name;
    }

    private String namesOfExecutors() {
        return beans instanceof ListableBeanFactory factory
                ? ", of which there are: "
                        + String.join(", ", factory.getBeanNamesForType(GroupExecutor.class, true, false))
                : "";
    }

    /** As the bean factory will choose one at the first call; what it can't is told now. */
    private void requireOneDefault(AnnotatedElement element) {
        if (!(beans instanceof ConfigurableListableBeanFactory factory)) {
            return;
        }
        List<String> candidates = new ArrayList<>();
        for (String name : factory.getBeanNamesForType(GroupExecutor.class, true, false)) {
            BeanDefinition definition =
                    factory.containsBeanDefinition(name) ? factory.getMergedBeanDefinition(name) : null;
            if (definition == null) {
                candidates.add(name);
            } else if (definition.isPrimary()) {
                return;
            } else if (definition.isAutowireCandidate()
                    && !definition.isFallback()
                    && (!(definition instanceof AbstractBeanDefinition own) || own.isDefaultCandidate())) {
                candidates.add(name);
            }
        }
        if (candidates.size() > 1) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "names no executor, and there are several: " + String.join(", ", candidates),
                    "Name one of them as the executor, or make one of the beans @Primary and the others"
                            + " @Bean(defaultCandidate = false).");
        }
    }
}
