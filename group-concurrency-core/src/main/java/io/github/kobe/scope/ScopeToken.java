package io.github.kobe.scope;

import java.util.concurrent.CancellationException;

/** The token of a scope. */
record ScopeToken(OpenScope<?, ?, ?> scope) implements CancellationToken {

    @Override
    public boolean isCancelled() {
        return scope.isCancelled();
    }

    @Override
    public void cancel() {
        scope.cancel(Cause.ASKED);
    }

    @Override
    public void throwIfCancelled() {
        if (isCancelled()) {
            throw new CancellationException(scope + " is cancelled");
        }
    }
}
