package io.github.kobe.testing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * By what a record beside the sources remembers what was found about them: once one of them changes, the digest is
 * another, and what the record says stands for nothing.
 */
public final class SourceDigest {

    private static final Pattern LITERAL_OR_COMMENT = Pattern.compile("""
        (?<literal>\"{3}(?s:.*?)\"{3}|"(?:\\\\.|[^"\\\\])*"|'(?:\\\\.|[^'\\\\])*')|//.*|/\\*(?s:.*?)\\*/\
        """);

    private SourceDigest() {}

    /** {@return a digest of these texts, in this order} */
    public static String of(List<String> parts) {
        MessageDigest digest = sha256();
        for (String part : parts) {
            digest.update(part.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) '\n');
        }
        return HexFormat.of().formatHex(digest.digest(), 0, 8);
    }

    /** {@return a source without its comments, on one line} */
    public static String code(String source) {
        String literals = LITERAL_OR_COMMENT
                .matcher(source)
                .replaceAll(found -> Matcher.quoteReplacement(Objects.requireNonNullElse(found.group("literal"), " ")));
        return literals.replaceAll("\\s+", " ").strip();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) { // every Java platform has it
            throw new IllegalStateException(impossible);
        }
    }
}
