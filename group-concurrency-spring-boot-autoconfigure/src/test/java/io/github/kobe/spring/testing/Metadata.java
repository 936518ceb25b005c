package io.github.kobe.spring.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the jars of the class path tell of their settings. */
public final class Metadata {

    private static final String FILE = "META-INF/spring-configuration-metadata.json";

    private Metadata() {}

    /** {@return all that stands in a section, of all jars} */
    public static List<JsonNode> all(String section) {
        List<JsonNode> all = new ArrayList<>();
        try {
            for (URL file : Collections.list(Metadata.class.getClassLoader().getResources(FILE))) {
                try (InputStream json = file.openStream()) {
                    new ObjectMapper().readTree(json).path(section).forEach(all::add);
                }
            }
            return all;
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }
}
