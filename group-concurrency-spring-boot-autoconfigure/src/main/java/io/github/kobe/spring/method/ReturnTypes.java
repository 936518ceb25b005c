package io.github.kobe.spring.method;

import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.BaseStream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.InputStreamSource;
import org.springframework.util.ClassUtils;

/**
 * Decides by its declared return type how an annotated method runs, or that it can't be limited. Types of libraries are
 * compared by name, since the libraries need not be present.
 */
final class ReturnTypes {

    private static final Log LOGGER = LogFactory.getLog(ReturnTypes.class);

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    /** What comes to its end later, each with all that implements it, unless an adapter knows it. */
    private static final Set<String> END_LATER = Set.of(
            Future.class.getName(),
            CompletionStage.class.getName(),
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow",
            "io.reactivex.CompletableSource",
            "io.reactivex.MaybeSource",
            "io.reactivex.ObservableSource",
            "io.reactivex.SingleSource",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.smallrye.mutiny.Uni");

    /** What Spring MVC runs or fills after the method has returned it. */
    private static final Set<String> RUN_LATER = Set.of(
            Callable.class.getName(),
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private static final String WRAPPER = "org.springframework.http.HttpEntity";

    private static final String INSTEAD =
            "Return CompletionStage, CompletableFuture, Future, Mono or Flux, or a value that is complete when the"
                    + " method returns.";

    private static final List<Class<?>> READ_LATER =
            List.of(BaseStream.class, Iterator.class, InputStream.class, Reader.class, InputStreamSource.class);

    private ReturnTypes() {}

    /**
     * Decides how a method runs.
     *
     * @param element where its annotation is
     * @param targetClass the class of the bean
     * @throws InvalidGroupConcurrentException if its end can't be seen
     */
    static CallStyle styleOf(AnnotatedElement element, Method method, Class<?> targetClass) {
        if (isSuspending(method)) {
            return ofSuspending(element, method, targetClass);
        }
        Class<?> type = returnedBy(method, targetClass);
        CallStyle style = styleOf(element, type);
        if (is(type, WRAPPER::equals)) {
            requireDone(
                    element,
                    ResolvableType.forMethodReturnType(method, targetClass)
                            .as(type)
                            .getGeneric(0)
                            .toClass());
        }
        if (isReadLater(type)) {
            LOGGER.warn("@GroupConcurrent on " + method.getDeclaringClass().getName() + "." + method.getName()
                    + " limits the making of the " + type.getSimpleName()
                    + " that it returns, but not reading it: by then the permit is back");
        }
        return style;
    }

    /** {@return the declared return type; if that is a type variable, what it stands for in the class of the bean} */
    static Class<?> returnedBy(Method method, Class<?> targetClass) {
        return isSuspending(method)
                ? method.getReturnType()
                : ResolvableType.forMethodReturnType(method, targetClass).resolve(method.getReturnType());
    }

    /** {@return whether a value does its work perhaps only while it is read} */
    private static boolean isReadLater(Class<?> type) {
        return READ_LATER.stream().anyMatch(read -> read.isAssignableFrom(type)) || type == Iterable.class;
    }

    private static CallStyle styleOf(AnnotatedElement element, Class<?> type) {
        if (type == CompletionStage.class || type == CompletableFuture.class || type == Future.class) {
            return CallStyle.DISPATCHED;
        }
        ReactiveAdapter adapter = adapterFor(type);
        if (adapter != null && adapter.getReactiveType() == type) {
            if (isPresent("reactor.core.publisher.Mono")) {
                return ReactiveStyle.of(adapter);
            }
            throw new InvalidGroupConcurrentException(
                    element,
                    "cannot work: it returns " + type.getName() + ", which needs Reactor",
                    "Add io.projectreactor:reactor-core.");
        }
        if (is(type, RUN_LATER::contains)) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "cannot work: it returns " + type.getName() + ", which does its work after the method has returned",
                    "Annotate the method of a bean that does the work; or return CompletableFuture, which runs the"
                            + " method on a new thread and holds the permit until it ends.");
        }
        if (adapter != null || is(type, END_LATER::contains)) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "cannot work: it returns " + type.getName() + ", whose end the limit cannot see",
                    INSTEAD
                            + (type.getName().startsWith("kotlinx.")
                                    ? " Of Kotlin's types Flow and Deferred need kotlinx-coroutines-reactor."
                                    : ""));
        }
        return CallStyle.HERE;
    }

    /** What a response carries has to be there when the response is. */
    private static void requireDone(AnnotatedElement element, Class<?> content) {
        if (!styleOf(element, content).equals(CallStyle.HERE)) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "cannot work: it returns a response with " + content.getName() + ", whose end the limit cannot see",
                    "Return " + content.getSimpleName() + " of a response, or annotate the method that makes the "
                            + content.getSimpleName() + ".");
        }
    }

    // ---- Kotlin

    private static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals(CONTINUATION);
    }

    private static CallStyle ofSuspending(AnnotatedElement element, Method method, Class<?> targetClass) {
        if (!KotlinDetector.isSuspendingFunction(method)
                || !KotlinDetector.isKotlinReflectPresent()
                || !isPresent("kotlinx.coroutines.reactor.MonoKt")) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "cannot work: it is a suspend function, whose end the limit cannot see",
                    "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor and org.jetbrains.kotlin:kotlin-reflect, by"
                            + " which Spring's proxies call suspend functions.");
        }
        MethodParameter returned = new MethodParameter(method, -1);
        Class<?> type = returned.getParameterType();
        if (!type.getName().equals("kotlinx.coroutines.flow.Flow")) {
            requireDone(
                    element,
                    ResolvableType.forMethodParameter(returned, ResolvableType.forClass(targetClass))
                            .resolve(type));
        }
        return ReactiveStyle.ofSuspending(type);
    }

    // ---- types

    private static @Nullable ReactiveAdapter adapterFor(Class<?> type) {
        return isPresent("org.reactivestreams.Publisher")
                ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type)
                : null;
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, ReturnTypes.class.getClassLoader());
    }

    /** {@return whether a type, or one that it extends or implements, has such a name} */
    private static boolean is(@Nullable Class<?> type, Predicate<String> name) {
        return type != null
                && (name.test(type.getName())
                        || is(type.getSuperclass(), name)
                        || Arrays.stream(type.getInterfaces()).anyMatch(parent -> is(parent, name)));
    }
}
