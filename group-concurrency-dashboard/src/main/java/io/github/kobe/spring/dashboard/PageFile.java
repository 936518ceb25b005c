package io.github.kobe.spring.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.util.DigestUtils;

/** A file of the page: its bytes, their type, and a tag that changes when they do. */
final class PageFile {

    private static final Map<String, String> TYPES = Map.of(
            "css", "text/css;charset=UTF-8",
            "html", "text/html;charset=UTF-8",
            "js", "text/javascript;charset=UTF-8",
            "json", "application/json",
            "svg", "image/svg+xml",
            "LICENSE", "text/plain;charset=UTF-8");

    /**
     * What goes with each of them. Nothing comes from another place, and no code or style stands in the page or in a
     * text that it shows, so that a key of a group can't be more than a text.
     */
    static final Map<String, String> HEADERS = Map.of(
            "Cache-Control", "no-cache",
            "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                            + " base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
            "Referrer-Policy", "no-referrer",
            "X-Content-Type-Options", "nosniff");

    private final byte[] content;
    private final String type;
    private final String tag;

    private PageFile(byte[] content, String type) {
        this.content = content;
        this.type = type;
        this.tag = DigestUtils.md5DigestAsHex(content);
    }

    private static PageFile of(String name, byte[] content) {
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null) {
            throw new IllegalArgumentException("No type is known for " + name);
        }
        return new PageFile(content, type);
    }

    static PageFile of(String name, String content) {
        return of(name, content.getBytes(StandardCharsets.UTF_8));
    }

    static PageFile inJar(String name) {
        try (InputStream stream = PageFile.class.getResourceAsStream("page/" + name)) {
            if (stream == null) {
                throw new IllegalStateException("The jar has no page/" + name);
            }
            return of(name, stream.readAllBytes());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    byte[] content() {
        return content;
    }

    /** {@return what the bytes are, as in a Content-Type} */
    String type() {
        return type;
    }

    /** {@return what an ETag has in its quotes} */
    String tag() {
        return tag;
    }
}
