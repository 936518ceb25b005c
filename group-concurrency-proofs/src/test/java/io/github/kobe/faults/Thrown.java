package io.github.kobe.faults;

import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** What user code may throw, declared or not, and however ill it behaves itself. */
@SuppressWarnings({
    "ImmutableEnumChecker", // suppliers without state
    "DoNotCallSuggester",
    "TypeParameterUnusedInFormals", // a sneaky throw
    "ThrowableEqualsHashCode" // meant to be a nuisance
})
enum Thrown {
    AN_EXCEPTION(() -> new IllegalStateException("thrown")),
    A_CHECKED_EXCEPTION(() -> new Exception("thrown")),
    AN_ERROR(() -> new AssertionError("thrown")),
    ONE_THAT_ENDS_THREADS(Death::new),
    AN_INTERRUPTED_EXCEPTION(() -> new InterruptedException("thrown")),
    A_CANCELLATION_EXCEPTION(() -> new CancellationException("thrown")),
    ONE_WHOSE_TEXT_THROWS_AN_EXCEPTION(
            () -> new Unspeakable(() -> new IllegalStateException("thrown when asked for its text"))),
    ONE_WHOSE_TEXT_THROWS_AN_ERROR(() -> new Unspeakable(Death::new)),
    ONE_THAT_IS_ITS_OWN_CAUSE(() -> inCircles(new IllegalStateException("one"), new IllegalStateException("other"))),
    A_COMPLETION_EXCEPTION_THAT_IS_ITS_OWN_CAUSE(() -> inCircles(new Completion("one"), new Completion("other"))),
    A_COMPLETION_EXCEPTION_WHOSE_CAUSE_THROWS(UnspeakableCompletion::new);

    private final Supplier<Throwable> maker;

    Thrown(Supplier<Throwable> maker) {
        this.maker = maker;
    }

    /** One such throwable, a new one each time. */
    Throwable make() {
        return maker.get();
    }

    /** Throws one. */
    <T> T raise() {
        throw Thrown.<RuntimeException>sneaky(make());
    }

    <T> Callable<T> work() {
        return this::raise;
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private static Throwable inCircles(Throwable one, Throwable other) {
        one.initCause(other);
        other.initCause(one);
        return one;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    @SuppressWarnings("serial")
    private static final class Death extends Error {}

    @SuppressWarnings("serial")
    private static final class Completion extends CompletionException {
        private Completion(String message) {
            super(message);
        }
    }

    @SuppressWarnings("serial")
    private static final class UnspeakableCompletion extends CompletionException {
        private UnspeakableCompletion() {
            super("thrown");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("thrown when asked for its cause");
        }
    }

    /** Throws whatever it is asked. */
    @SuppressWarnings("serial")
    private static final class Unspeakable extends RuntimeException {
        private final transient Supplier<Throwable> answer;

        private Unspeakable(Supplier<Throwable> answer) {
            this.answer = answer;
        }

        @Override
        public String getMessage() {
            throw Thrown.<RuntimeException>sneaky(answer.get());
        }

        @Override
        public String getLocalizedMessage() {
            throw Thrown.<RuntimeException>sneaky(answer.get());
        }

        @Override
        public synchronized Throwable getCause() {
            throw Thrown.<RuntimeException>sneaky(answer.get());
        }

        @Override
        public String toString() {
            throw Thrown.<RuntimeException>sneaky(answer.get());
        }

        @Override
        public int hashCode() {
            throw Thrown.<RuntimeException>sneaky(answer.get());
        }

        @Override
        public boolean equals(Object other) {
            throw Thrown.<RuntimeException>sneaky(answer.get());
        }
    }
}
