package io.github.kobe.internal.permits;

/**
 * Keeps a word that several cores write all the time on its own cache line of 64 bytes. Otherwise each write would
 * invalidate the neighbouring fields in cores that only read them. HotSpot lays out the fields of a superclass before
 * those of its subclasses, and these leave no gap for them to fill.
 */
@SuppressWarnings("unused") // the unused fields are the point
final class Padded {

    private Padded() {}

    /** What keeps away whatever is laid out before. */
    abstract static class Before {
        private final long a = 0;
        private final long b = 0;
        private final long c = 0;
        private final long d = 0;
        private final long e = 0;
        private final long f = 0;
        private final long g = 0;
    }

    /** The word. */
    abstract static class Word extends Before {
        volatile long word;

        Word(long word) {
            this.word = word;
        }
    }

    /** What keeps away whatever is laid out behind: a class with such a word extends this. */
    abstract static class After extends Word {
        private final long a = 0;
        private final long b = 0;
        private final long c = 0;
        private final long d = 0;
        private final long e = 0;
        private final long f = 0;
        private final long g = 0;

        After(long word) {
            super(word);
        }
    }
}
