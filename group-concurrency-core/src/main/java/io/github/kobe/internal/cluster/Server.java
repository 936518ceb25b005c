package io.github.kobe.internal.cluster;

/** What the store asks the server that it is on. */
interface Server {

    /** {@return the time, in milliseconds from any origin; may be set to another at any time} */
    long millis();

    Identity identity();
}
