package io.github.kobe.spring.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.util.ClassUtils;

/** Spring Boot's own auto-configurations, many of which have moved to other packages between Boot 3 and 4. */
public final class BootAutoConfigurations {

    private BootAutoConfigurations() {}

    /** {@return those with these simple names, wherever the Boot of the class path has them} */
    public static AutoConfigurations named(String... simpleNames) {
        return AutoConfigurations.of(
                Arrays.stream(simpleNames).map(BootAutoConfigurations::find).toArray(Class<?>[]::new));
    }

    /** {@return the one with one of these simple names, since Boot 4 has given it another} */
    public static AutoConfigurations either(String onBoot3, String onBoot4) {
        return named(isThere(onBoot3) ? onBoot3 : onBoot4);
    }

    private static boolean isThere(String simpleName) {
        return !all(simpleName).isEmpty();
    }

    private static Class<?> find(String simpleName) {
        List<String> found = all(simpleName);
        assertThat(found).as(simpleName).hasSize(1);
        return ClassUtils.resolveClassName(found.getFirst(), BootAutoConfigurations.class.getClassLoader());
    }

    private static List<String> all(String simpleName) {
        ClassLoader loader = BootAutoConfigurations.class.getClassLoader();
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, loader).spliterator(), false)
                .filter(name -> name.endsWith("." + simpleName))
                .toList();
    }
}
