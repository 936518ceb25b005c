package io.github.kobe.spring.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;

/** Settings as an application has them in YAML: each knows its line. */
record YamlSettings(String yaml) implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        try {
            new YamlPropertySourceLoader()
                    .load("yaml", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8), "application.yml"))
                    .forEach(context.getEnvironment().getPropertySources()::addLast);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
