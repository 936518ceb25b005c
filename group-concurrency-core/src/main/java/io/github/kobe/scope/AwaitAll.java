package io.github.kobe.scope;

/** Gives no value, and keeps nothing. */
final class AwaitAll<T> extends OneScopeJoiner<T, Void, RuntimeException> {

    AwaitAll() {
        super("awaitAll()");
    }

    @Override
    public Void result() {
        return null;
    }
}
