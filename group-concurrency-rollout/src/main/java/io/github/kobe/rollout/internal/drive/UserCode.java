package io.github.kobe.rollout.internal.drive;

/**
 * Runs code of the application on a thread of this library. However it leaves the thread, what comes after it begins
 * uninterrupted: who has cut it off tells so otherwise too.
 */
final class UserCode {

    private UserCode() {}

    /** What gives something. */
    @FunctionalInterface
    interface Question<T, E extends Exception> {
        T ask() throws E;
    }

    /** What gives nothing. */
    @FunctionalInterface
    interface Work<E extends Exception> {
        void run() throws E;
    }

    static <T, E extends Exception> T ask(Question<T, E> question) throws E {
        try {
            return question.ask();
        } finally {
            Thread.interrupted();
        }
    }

    static <E extends Exception> void run(Work<E> work) throws E {
        try {
            work.run();
        } finally {
            Thread.interrupted();
        }
    }
}
