package io.github.kobe.spring.rollout;

import java.lang.reflect.Method;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Makes what sends the requests of rollouts: as Spring Boot makes it for the application's own clients, but never to where
 * an answer redirects. A configuration may be secret, and whoever answers at another place has not taken it.
 *
 * <p>Spring Boot 4 has another type for the settings, so they are found by reflection.
 */
final class UnredirectedRequests {

    private static final String BUILDER = "org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder";

    private UnredirectedRequests() {}

    /**
     * {@return what sends requests}
     *
     * @param context may have Spring Boot's builder and settings
     * @throws IllegalStateException if that builder makes something that can't be kept from following redirects
     */
    static ClientHttpRequestFactory in(ApplicationContext context) {
        ClassLoader loader = context.getClassLoader();
        if (!ClassUtils.isPresent(BUILDER, loader)) {
            return new JdkClientHttpRequestFactory(
                    HttpClient.newBuilder().followRedirects(Redirect.NEVER).build());
        }
        Class<?> type = ClassUtils.resolveClassName(BUILDER, loader);
        Method build = method(type, "build");
        Class<?> settingsType = build.getParameterTypes()[0];
        Method withRedirects = method(settingsType, "withRedirects");
        Object builder = given(context, type, "detect");
        Object settings = given(context, settingsType, "defaults");
        try {
            return (ClientHttpRequestFactory) invoke(
                    build,
                    builder,
                    invoke(withRedirects, settings, none(withRedirects.getParameterTypes()[0])));
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "the requests of rollouts must not follow redirects, which can't be set for " + builder
                            + ": make a bean HttpTransport that doesn't follow them",
                    e);
        }
    }

    /** {@return the application's, else the default, which a method without parameters gives} */
    private static Object given(ApplicationContext context, Class<?> type, String defaults) {
        Object bean = context.getBeanProvider(type).getIfAvailable();
        return bean == null ? invoke(ClassUtils.getMethod(type, defaults), null) : bean;
    }

    private static Method method(Class<?> type, String name) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name) && method.getParameterCount() == 1)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(type + " has no method " + name));
    }

    private static Object none(Class<?> redirects) {
        return Arrays.stream(redirects.getEnumConstants())
                .filter(each -> each.toString().equals("DONT_FOLLOW"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(redirects + " has no DONT_FOLLOW"));
    }

    private static Object invoke(Method method, @Nullable Object target, Object... arguments) {
        Object result = ReflectionUtils.invokeMethod(method, target, arguments);
        if (result == null) {
            throw new IllegalStateException(method + " gives nothing");
        }
        return result;
    }
}
