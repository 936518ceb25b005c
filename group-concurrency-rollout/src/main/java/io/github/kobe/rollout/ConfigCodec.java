package io.github.kobe.rollout;

/**
 * Turns configurations into what a database keeps of them, and back: encrypts them, for instance, or puts them into a vault and
 * keeps a reference. Thread-safe. Rollouts call it within transactions, so that it should be quick.
 *
 * @since 0.1.0
 */
public interface ConfigCodec {

    /** {@return a codec that keeps configurations as they are} */
    static ConfigCodec none() {
        return new ConfigCodec() {
            @Override
            public String encode(String config) {
                return config;
            }

            @Override
            public String decode(String kept) {
                return kept;
            }
        };
    }

    /**
     * {@return what is kept of a configuration} If it is the same for the same configuration, that is kept once for all tenants
     * that have it.
     *
     * @param config the configuration
     */
    String encode(String config);

    /**
     * {@return the configuration} If this throws, the task that needs it fails.
     *
     * @param kept what {@link #encode} has returned
     */
    String decode(String kept);
}
