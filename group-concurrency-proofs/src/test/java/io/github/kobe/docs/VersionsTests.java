package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of versions names those that the build uses. */
class VersionsTests {

    private static final Markdown PAGE = Markdown.page("docs/reference/versions.md");

    @Test
    void springBootIsThatOfTheBuild() throws IOException {
        assertThat(PAGE.text())
                .contains("on " + property("pom.xml", "spring-boot35.version") + " and once more on "
                        + property("pom.xml", "spring-boot4.version"));
    }

    @Test
    void springAiIsThatOfTheBuild() throws IOException {
        assertThat(PAGE.text())
                .contains("on 3.5 with " + property("pom.xml", "spring-ai35.version") + " and on 4.1 with "
                        + property("pom.xml", "spring-ai4.version"));
    }

    @Test
    void databasesAreThoseOfTheTestsOfRollouts() throws IOException {
        assertThat(PAGE.text())
                .contains("PostgreSQL " + major(property("pom.xml", "postgres-binaries.version")))
                .contains("H2 " + major(property("group-concurrency-rollout/pom.xml", "h2.version")));
    }

    @Test
    void theClientOfRedisIsThatOfTheTests() throws IOException {
        assertThat(PAGE.text())
                .contains("once more with "
                        + property("group-concurrency-redis/pom.xml", "newest-lettuce.version")
                                .replace(".RELEASE", ""));
    }

    private static String major(String version) {
        return version.substring(0, version.indexOf('.'));
    }

    private static String property(String pom, String name) throws IOException {
        Matcher value = Pattern.compile("<" + Pattern.quote(name) + ">([^<]+)<")
                .matcher(Files.readString(Markdown.repository().resolve(pom)));
        assertThat(value.find()).as(name).isTrue();
        return value.group(1);
    }
}
