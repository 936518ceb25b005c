package io.github.kobe.spring.docs;

import io.micrometer.context.ContextRegistry;
import org.springframework.web.context.request.RequestAttributesThreadLocalAccessor;

/** Takes the request of Spring along, as the docs show it. */
final class RequestsInForks {

    private RequestsInForks() {}

    static void register() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(new RequestAttributesThreadLocalAccessor());
    }
}
