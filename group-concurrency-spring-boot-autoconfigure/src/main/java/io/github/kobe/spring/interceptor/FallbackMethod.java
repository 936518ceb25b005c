package io.github.kobe.spring.interceptor;

import io.github.kobe.RejectedTaskException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The method that answers in place of a rejected one. */
final class FallbackMethod {

    /** Of overloads that differ in the type of the exception, one and the same at each start. */
    private static final Comparator<Method> MOST_PARAMETERS_LAST =
            Comparator.comparingInt(Method::getParameterCount).thenComparing(Method::toString);

    private final Method method;
    private final boolean takesException;

    private FallbackMethod(Method method, boolean takesException) {
        this.method = method;
        this.takesException = takesException;
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
                    .filter(candidate ->
                            candidate.getName().equals(name) && !candidate.isBridge() && fits(candidate, guarded))
                    .max(MOST_PARAMETERS_LAST);
            if (found.isPresent()) {
                Method method = found.get();
                ReflectionUtils.makeAccessible(method);
                return new FallbackMethod(method, method.getParameterCount() > guarded.getParameterCount());
            }
        }
        throw new InvalidGroupConcurrentException(
                element,
                "has the fallback method '" + name + "', and " + targetClass.getName() + " has none that fits",
                "Add a method '" + name + "' with the parameters of " + guarded.getName()
                        + ", optionally a RejectedTaskException after them, that returns "
                        + guarded.getReturnType().getSimpleName() + ".");
    }

    private static boolean fits(Method candidate, Method guarded) {
        Class<?>[] wanted = guarded.getParameterTypes();
        Class<?>[] given = candidate.getParameterTypes();
        boolean same = Arrays.equals(given, wanted);
        boolean withException = given.length == wanted.length + 1
                && Arrays.equals(Arrays.copyOf(given, wanted.length), wanted)
                && given[wanted.length].isAssignableFrom(RejectedTaskException.class);
        return (same || withException)
                && (guarded.getReturnType() == void.class
                        || ClassUtils.isAssignable(guarded.getReturnType(), candidate.getReturnType()));
    }

    Method method() {
        return method;
    }

    /** Calls it on the target itself, past the proxy; throws what it throws. */
    @Nullable
    Object answer(@Nullable Object target, @Nullable Object[] args, RejectedTaskException rejection) throws Throwable {
        @Nullable Object[] given = takesException ? Arrays.copyOf(args, args.length + 1) : args;
        if (takesException) {
            given[args.length] = rejection;
        }
        try {
            return method.invoke(target, given);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }
}
