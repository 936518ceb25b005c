package io.github.kobe.spring.method;

import io.github.kobe.RejectedTaskException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.CoroutinesUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The method that answers instead of a rejected one. */
final class FallbackMethod {

    /** Of overloads that differ in the type of the exception, one and the same at each start. */
    private static final Comparator<Method> MOST_PARAMETERS_LAST =
            Comparator.comparingInt(Method::getParameterCount).thenComparing(Method::toString);

    private final Method method;
    private final boolean takesException;

    /** Whether the guarded method has a continuation as its last argument, as suspend functions have. */
    private final boolean givenContinuation;

    private final boolean suspends;

    private FallbackMethod(Method method, Method guarded) {
        this.method = method;
        this.takesException = parametersOf(method).length > parametersOf(guarded).length;
        this.givenContinuation = KotlinDetector.isSuspendingFunction(guarded);
        this.suspends = KotlinDetector.isSuspendingFunction(method);
    }

    /** {@return what a method wants, as it is written: without a suspend function's continuation} */
    private static Class<?>[] parametersOf(Method method) {
        Class<?>[] types = method.getParameterTypes();
        return KotlinDetector.isSuspendingFunction(method) ? Arrays.copyOf(types, types.length - 1) : types;
    }

    /**
     * Finds the fallback of a method: in its class, else in the next superclass that has one; of two in one class, the
     * one that takes the exception.
     *
     * @throws InvalidGroupConcurrentException if there is none of that name that fits
     */
    static FallbackMethod find(String name, AnnotatedElement element, Method guarded, Class<?> targetClass) {
        for (Class<?> type = targetClass; type != null && type != Object.class; type = type.getSuperclass()) {
            Optional<Method> found = Arrays.stream(type.getDeclaredMethods())
                    .filter(candidate -> candidate.getName().equals(name)
                            && !candidate.isBridge()
                            && fits(candidate, guarded, targetClass))
                    .max(MOST_PARAMETERS_LAST);
            if (found.isPresent()) {
                Method method = found.get();
                ReflectionUtils.makeAccessible(method);
                return new FallbackMethod(method, guarded);
            }
        }
        throw new InvalidGroupConcurrentException(
                element,
                "has the fallback method '" + name + "', and " + targetClass.getName() + " has none that fits",
                "Add a method '" + name + "' with the parameters of " + guarded.getName()
                        + ", optionally a RejectedTaskException after them, that returns "
                        + ReturnTypes.returnedBy(guarded, targetClass).getSimpleName() + ".");
    }

    private static boolean fits(Method candidate, Method guarded, Class<?> targetClass) {
        if (KotlinDetector.isSuspendingFunction(candidate) && !KotlinDetector.isSuspendingFunction(guarded)) {
            return false;
        }
        Class<?>[] wanted = parametersOf(guarded);
        Class<?>[] given = parametersOf(candidate);
        boolean same = Arrays.equals(given, wanted);
        boolean withException = given.length == wanted.length + 1
                && Arrays.equals(Arrays.copyOf(given, wanted.length), wanted)
                && given[wanted.length].isAssignableFrom(RejectedTaskException.class);
        return (same || withException)
                && (guarded.getReturnType() == void.class
                        || ClassUtils.isAssignable(
                                ReturnTypes.returnedBy(guarded, targetClass),
                                ReturnTypes.returnedBy(candidate, targetClass)));
    }

    Method method() {
        return method;
    }

    /** Calls it on the target itself, past the proxy; throws what it throws. */
    @Nullable
    Object answer(@Nullable Object target, @Nullable Object[] args, RejectedTaskException rejection) throws Throwable {
        int wanted = givenContinuation ? args.length - 1 : args.length;
        @Nullable Object[] given = Arrays.copyOf(args, wanted + (takesException ? 1 : 0) + (suspends ? 1 : 0));
        if (takesException) {
            given[wanted] = rejection;
        }
        if (suspends) {
            given[given.length - 1] = args[wanted];
            return CoroutinesUtils.invokeSuspendingFunction(
                    method, Objects.requireNonNull(target, "A suspend function has a target"), given);
        }
        try {
            return method.invoke(target, given);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }
}
