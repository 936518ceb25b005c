package io.github.kobe.spring.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * A request that waited for its turn, presented to the rest of the chain as a first dispatch. Spring's filters that
 * follow have not seen it yet, and would otherwise ignore the container's second dispatch.
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
