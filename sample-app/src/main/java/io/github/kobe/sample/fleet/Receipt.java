package io.github.kobe.sample.fleet;

/**
 * A request that a server was sent.
 *
 * @param number counts the requests of the whole fleet
 * @param tenant whose server it is
 * @param server its name
 * @param request method and path
 * @param version what it was sent, or is to load
 * @param key the header {@code Idempotency-Key}
 * @param token the header {@code Rollout-Token}
 * @param effect what became of it
 */
record Receipt(
        int number,
        String tenant,
        String server,
        String request,
        String version,
        String key,
        long token,
        Effect effect) {

    /** What a server makes of a request. */
    enum Effect {
        /** It did what it was told. */
        DONE,
        /** It had done that before: the key is known. */
        KNOWN,
        /** It has heard from someone newer: the token is too low. */
        REFUSED,
        /** It says nothing. */
        NONE
    }

    /** {@return it as a line with tabs} */
    String line() {
        return String.join(
                "\t",
                String.valueOf(number),
                tenant,
                server,
                request,
                version,
                key,
                String.valueOf(token),
                effect.name());
    }
}
