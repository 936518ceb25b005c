package io.github.kobe.cluster.redis.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import io.github.kobe.cluster.redis.RedisClusterStore;
import io.github.kobe.testing.Markdown;
import io.github.kobe.testing.ModuleArchitecture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class ArchitectureTests extends ModuleArchitecture {

    private static final int MOST_LINES = 400;

    ArchitectureTests() {
        super(RedisClusterStore.class);
    }

    @Test
    void whatIsPublicIsMeantToBe() {
        assertThat(main.stream().filter(modifier(PUBLIC)).filter(describe("top level", JavaClass::isTopLevelClass)))
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder("RedisClusterStore", "RedisStoreException");
    }

    @Test
    void everyClassFitsInAHead() throws IOException {
        Path sources = Markdown.repository().resolve("group-concurrency-redis/src/main/java");
        try (Stream<Path> files = Files.walk(sources)) {
            assertThat(files.filter(file -> file.toString().endsWith(".java")))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(Files.readAllLines(file)).hasSizeLessThanOrEqualTo(MOST_LINES));
        }
    }
}
