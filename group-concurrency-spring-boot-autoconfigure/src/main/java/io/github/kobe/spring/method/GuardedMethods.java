package io.github.kobe.spring.method;

import io.github.kobe.spring.annotation.GroupConcurrent;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotated methods of the application's classes. Each class is examined as a whole when its first bean is
 * made, so that any error in its annotations fails the start-up.
 */
final class GuardedMethods implements DisposableBean {

    /** The name of the bean. */
    static final String BEAN_NAME = "groupConcurrencyMethods";

    static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    private static final Log LOGGER = LogFactory.getLog(GuardedMethods.class);

    private final GuardedMethodReader reader;

    /** Whether the annotation is on the class itself, or on a method that it declares. */
    private final Map<Class<?>, Boolean> annotated = new ConcurrentHashMap<>();

    private final Map<Class<?>, Map<Method, GuardedMethod>> byClass = new ConcurrentHashMap<>();
    private final Set<Class<?>> warned = ConcurrentHashMap.newKeySet();

    /** Whether Reactor's schedulers know of what is within limits, for a method of one of the classes. */
    private final AtomicReference<Hook> hook = new AtomicReference<>(Hook.NONE);

    private enum Hook {
        NONE,
        IN_USE,
        GONE
    }

    /** By the class of what is called, then by the method as it is called, which may be an interface's. */
    private final Map<Class<?>, Map<Method, Optional<GuardedMethod>>> byCall = new ConcurrentHashMap<>();

    GuardedMethods(GuardedMethodReader reader) {
        this.reader = reader;
    }

    /** {@return whether the class has a method that is to be limited} */
    boolean anyIn(Class<?> type) {
        return !ofClass(type).isEmpty();
    }

    /** {@return the methods of the class that are to be limited, in no order that means anything} */
    Map<Method, GuardedMethod> ofClass(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        Map<Method, GuardedMethod> known = byClass.get(userClass);
        if (known == null) {
            known = isAnnotatedAnywhere(userClass) ? inspect(userClass) : Map.of();
            if (known.values().stream().anyMatch(method -> method.style().goesOnInSchedulers())) {
                hook();
            }
            byClass.put(userClass, known);
        }
        return known;
    }

    private void hook() {
        if (hook.compareAndSet(Hook.NONE, Hook.IN_USE)) {
            SchedulerHook.use();
        }
    }

    /** What is first seen afterwards, by the end of another bean, has no hook: nobody would take it away. */
    @Override
    public void destroy() {
        if (hook.getAndSet(Hook.GONE) == Hook.IN_USE) {
            SchedulerHook.leave();
        }
    }

    /** {@return what the annotated methods of a class reach by reflection: fallbacks, and what their keys are read from} */
    Set<Member> reachedFrom(Class<?> type) {
        Set<Member> reached = new LinkedHashSet<>();
        ofClass(type).values().forEach(method -> method.addReached(ClassUtils.getUserClass(type), reached));
        return reached;
    }

    /** {@return what is known of a method, which may be an interface's, of a class; null if it isn't to be limited} */
    @Nullable
    GuardedMethod find(Method method, Class<?> targetClass) {
        Map<Method, Optional<GuardedMethod>> called = byCall.get(targetClass);
        Optional<GuardedMethod> known = called == null ? null : called.get(method);
        return (known == null ? findFirst(method, targetClass) : known).orElse(null);
    }

    private Optional<GuardedMethod> findFirst(Method method, Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        Method specific = Proxy.isProxyClass(type)
                ? BridgeMethodResolver.findBridgedMethod(method)
                : AopUtils.getMostSpecificMethod(method, type);
        Optional<GuardedMethod> found = Optional.ofNullable(ofClass(type).get(specific));
        byCall.computeIfAbsent(targetClass, call -> new ConcurrentHashMap<>()).put(method, found);
        return found;
    }

    /** Cheap, for the many classes that have none: each class and interface is looked at once, whoever inherits it. */
    private boolean isAnnotatedAnywhere(@Nullable Class<?> type) {
        return type != null
                && (isAnnotated(type)
                        || isAnnotatedAnywhere(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(this::isAnnotatedAnywhere));
    }

    private boolean isAnnotated(Class<?> type) {
        Boolean known = annotated.get(type);
        if (known == null) {
            known = AnnotationUtils.isCandidateClass(type, GroupConcurrent.class)
                    && (AnnotatedElementUtils.isAnnotated(type, GroupConcurrent.class)
                            || Arrays.stream(ReflectionUtils.getDeclaredMethods(type))
                                    .anyMatch(method ->
                                            AnnotatedElementUtils.isAnnotated(method, GroupConcurrent.class)));
            annotated.put(type, known);
        }
        return known;
    }

    private Map<Method, GuardedMethod> inspect(Class<?> type) {
        Map<Method, GuardedMethod> guarded = new LinkedHashMap<>();
        if (Proxy.isProxyClass(type)) {
            // Made from interfaces, as clients and repositories are; its own methods are final and know no names.
            for (Class<?> implemented : type.getInterfaces()) {
                Method[] methods = Arrays.stream(implemented.getMethods())
                        .filter(GuardedMethods::isUserMethod)
                        .toArray(Method[]::new);
                inspect(implemented, methods, guarded);
            }
        } else {
            inspect(type, methodsOf(type), guarded);
        }
        return Map.copyOf(guarded);
    }

    /**
     * {@return the methods that calls end in} Spring's list has an interface's default method even if calls end in one
     * that is inherited from a class.
     */
    private static Method[] methodsOf(Class<?> type) {
        return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type, GuardedMethods::isUserMethod))
                .map(method -> AopUtils.getMostSpecificMethod(method, type))
                .distinct()
                .toArray(Method[]::new);
    }

    private void inspect(Class<?> type, Method[] methods, Map<Method, GuardedMethod> guarded) {
        GroupConcurrent onType = AnnotatedElementUtils.findMergedAnnotation(type, GroupConcurrent.class);
        Map<Method, GroupConcurrent> onInterfaces = onInterfacesOf(type);
        for (Method method : methods) {
            GroupConcurrent onMethod = AnnotatedElementUtils.findMergedAnnotation(method, GroupConcurrent.class);
            inspect(method, type, onMethod == null ? onInterfaces.get(method) : onMethod, onType, guarded);
        }
    }

    /**
     * {@return the annotations on methods of a class's interfaces, by the methods that calls of these end in} Such a
     * method may be inherited from a class that has none of the interfaces.
     */
    private static Map<Method, GroupConcurrent> onInterfacesOf(Class<?> type) {
        Map<Method, GroupConcurrent> found = new HashMap<>();
        for (Class<?> implemented : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            for (Method method : implemented.getMethods()) {
                GroupConcurrent annotation = AnnotatedElementUtils.findMergedAnnotation(method, GroupConcurrent.class);
                if (annotation != null && !Modifier.isStatic(method.getModifiers())) {
                    found.putIfAbsent(AopUtils.getMostSpecificMethod(method, type), annotation);
                }
            }
        }
        return found;
    }

    private void inspect(
            Method method,
            Class<?> type,
            @Nullable GroupConcurrent onMethod,
            @Nullable GroupConcurrent onType,
            Map<Method, GuardedMethod> guarded) {
        String obstacle = obstacleTo(method, type);
        if (onMethod != null) {
            if (obstacle != null) {
                throw new InvalidGroupConcurrentException(
                        method,
                        "cannot work: the method is " + obstacle + ", and calls of it don't go through the proxy",
                        "Move the annotation to a method that a proxy can override, or limit the call with"
                                + " GroupExecutor.call.");
            }
            guarded.put(method, reader.read(onMethod, method, method, type));
        } else if (onType == null || ReflectionUtils.isObjectMethod(method)) {
            return;
        } else if (obstacle == null) {
            guarded.put(method, reader.read(onType, type, method, type));
        } else if (!Modifier.isPrivate(method.getModifiers()) && warned.add(type)) {
            LOGGER.warn("@GroupConcurrent on " + type.getName() + " doesn't limit its private, static and final"
                    + " methods, or package-private ones of another package, such as " + method.getName()
                    + ": calls of them don't go through the proxy");
        }
    }

    private static boolean isUserMethod(Method method) {
        return method.getDeclaringClass() != Object.class && !method.isBridge() && !method.isSynthetic();
    }

    private static @Nullable String obstacleTo(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isStatic(modifiers)) {
            return "static";
        }
        if (Modifier.isFinal(modifiers)) {
            return "final";
        }
        boolean isPackagePrivate = !Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers);
        return isPackagePrivate && !isInOnePackage(method.getDeclaringClass(), type)
                ? "package-private in another package than the bean's class"
                : null;
    }

    /** Two packages of one name are the same only by one class loader. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    private static boolean isInOnePackage(Class<?> one, Class<?> other) {
        return one.getClassLoader() == other.getClassLoader()
                && one.getPackageName().equals(other.getPackageName());
    }
}
