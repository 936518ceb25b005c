package io.github.kobe.spring.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * A request that waited for its turn, as the rest of the chain is to see it: for the first time. Filters of Spring's kind
 * that come now have not seen it yet, and would let the container's second dispatch pass them by.
 */
final class ResumedRequest extends HttpServletRequestWrapper {

    private volatile boolean firstPass = true;

    ResumedRequest(HttpServletRequest request) {
        super(request);
    }

    /** From now on it is dispatched as the container says. */
    void passed() {
        firstPass = false;
    }

    @Override
    public DispatcherType getDispatcherType() {
        return firstPass ? DispatcherType.REQUEST : super.getDispatcherType();
    }
}
