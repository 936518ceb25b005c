package io.github.kobe.cluster.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/**
 * What a server runs.
 *
 * @param digest by which a server knows a text that it has seen
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares two
record Script(byte[] text, String digest) {

    /** Tells whether statements can be carried out at all. */
    static final Script CHECK = load("check.lua");

    /** Carries out a statement. */
    static final Script EXCHANGE = load("exchange.lua");

    /** Shows what nodes have and want. */
    static final Script LOOK = load("look.lua");

    private static Script load(String name) {
        try (InputStream in = Objects.requireNonNull(Script.class.getResourceAsStream(name), name)) {
            byte[] text = in.readAllBytes();
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return new Script(text, HexFormat.of().formatHex(sha1.digest(text)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This JVM has no SHA-1, which every one has to have", e);
        }
    }
}
