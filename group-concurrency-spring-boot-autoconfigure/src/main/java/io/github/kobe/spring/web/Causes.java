package io.github.kobe.spring.web;

import java.util.Objects;
import java.util.stream.Stream;

/** What is in a failure. */
final class Causes {

    /** More than any chain that isn't a ring. */
    private static final int MOST = 100;

    private Causes() {}

    /** {@return the failure and its causes, from the outermost on} */
    static Stream<Throwable> in(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(MOST);
    }
}
