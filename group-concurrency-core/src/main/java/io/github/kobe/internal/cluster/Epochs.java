package io.github.kobe.internal.cluster;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The numbers of epochs: a counter, and below it 24 bits that tell apart two that have the same counter, as two servers may make
 * them.
 */
final class Epochs {

    private static final int SUFFIX_BITS = 24;

    private Epochs() {}

    /** {@return whether a node has seen an epoch that this store doesn't know, so that it has forgotten, or isn't the only one} */
    static boolean isForeign(long stated, long stored) {
        return stated != stored && counter(stated) >= counter(stored);
    }

    /** {@return an epoch after both} */
    static long after(long stored, long stated, Identity identity, long real, String session, long sequence) {
        long counter = Math.max(counter(stored), counter(stated)) + 1;
        return (counter << SUFFIX_BITS) + suffix(identity, real, session, sequence);
    }

    static long counter(long epoch) {
        return epoch >> SUFFIX_BITS;
    }

    private static int suffix(Identity identity, long real, String session, long sequence) {
        String text = identity.runId() + " " + identity.replicationId() + " " + real + " " + session + " " + sequence;
        byte[] sum = sha1().digest(text.getBytes(StandardCharsets.UTF_8));
        return ((sum[0] & 0xff) << 16) | ((sum[1] & 0xff) << 8) | (sum[2] & 0xff);
    }

    private static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("This JVM has no SHA-1, which every one has to have", missing);
        }
    }
}
