package io.github.kobe.scope;

/** Gives no value, and keeps nothing. */
final class AwaitAll<T> extends OneScopeJoiner<T, Void, RuntimeException> {

    @Override
    public Void result() {
        return null;
    }
}
