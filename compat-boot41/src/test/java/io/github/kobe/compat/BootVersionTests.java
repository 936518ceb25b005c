package io.github.kobe.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.spring.annotation.GroupConcurrent;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;

/** What this module is for: the other Boot, the same jar. */
class BootVersionTests {

    @Test
    void theTestsOfThisModuleRunOnBoot4() {
        assertThat(SpringBootVersion.getVersion()).startsWith("4.1.");
    }

    @Test
    void theClassesAreThoseOfTheModuleThatIsPublished() throws Exception {
        Path classes = Path.of(GroupConcurrent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());

        assertThat(classes.toString()).contains("group-concurrency-spring-boot-autoconfigure");
    }
}
