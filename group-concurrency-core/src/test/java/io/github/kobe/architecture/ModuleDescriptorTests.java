package io.github.kobe.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Requires;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("G47")
class ModuleDescriptorTests {

    private static ModuleDescriptor descriptor() throws Exception {
        Path classes = Path.of(GroupExecutor.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (InputStream file = Files.newInputStream(classes.resolve("module-info.class"))) {
            return ModuleDescriptor.read(file);
        }
    }

    @Test
    void theModuleRequiresNothingButJavaBase() throws Exception {
        assertThat(descriptor().requires())
                .extracting(Requires::name)
                .containsExactlyInAnyOrder("java.base", "jdk.jfr", "org.jspecify");
        assertThat(descriptor().requires())
                .filteredOn(required -> !required.name().equals("java.base"))
                .allSatisfy(required -> assertThat(required.modifiers()).containsExactly(Requires.Modifier.STATIC));
    }

    @Test
    void theModuleExportsItsApiAndNoInternals() throws Exception {
        assertThat(descriptor().exports())
                .allMatch(exported -> exported.targets().isEmpty())
                .extracting(Exports::source)
                .containsExactlyInAnyOrder("io.github.kobe", "io.github.kobe.cluster", "io.github.kobe.scope");
        assertThat(descriptor().isOpen()).isFalse();
        assertThat(descriptor().opens()).isEmpty();
    }
}
