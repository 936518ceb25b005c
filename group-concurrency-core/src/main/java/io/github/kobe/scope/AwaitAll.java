package io.github.kobe.scope;

/** Nothing. Keeps nothing. */
final class AwaitAll<T> extends OneScopeJoiner<T, Void, RuntimeException> {

    @Override
    public Void result() {
        return null;
    }
}
