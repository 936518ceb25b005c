package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.spi.ToolProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** The application whose files a page shows, compiled from there and started on a real server. */
final class QuickStartApplication implements AutoCloseable {

    private static final String PLACE_OF_SOURCES = "// src/main/java/";

    private final HttpClient client = HttpClient.newHttpClient();
    private final URLClassLoader classes;
    private final ConfigurableApplicationContext context;

    /** Starts what {@code page} shows as {@code java application}, with its first settings, in {@code folder}. */
    QuickStartApplication(Markdown page, Path folder) throws Exception {
        List<String> files = page.blocks("java application");
        Path output = Files.createDirectory(folder.resolve("classes"));
        compile(files, folder, output);
        Files.writeString(output.resolve("application.yml"), page.blocks("yaml").getFirst());
        classes = new URLClassLoader(
                new URL[] {output.toUri().toURL()}, Thread.currentThread().getContextClassLoader());
        Class<?> main =
                classes.loadClass(name(files.getFirst()).replace('/', '.').replaceFirst("\\.java$", ""));
        context = new SpringApplication(new DefaultResourceLoader(classes), main).run("--server.port=0");
    }

    private static void compile(List<String> files, Path folder, Path output) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-classpath", System.getProperty("java.class.path")));
        arguments.addAll(List.of("--release", "21", "-proc:none", "-parameters", "-d", output.toString()));
        for (String file : files) {
            Path source = folder.resolve(name(file));
            Files.createDirectories(source.getParent());
            arguments.add(Files.writeString(source, file).toString());
        }
        StringWriter findings = new StringWriter();
        PrintWriter out = new PrintWriter(findings);
        ToolProvider.findFirst("javac").orElseThrow().run(out, out, arguments.toArray(String[]::new));
        assertThat(findings.toString()).isEmpty();
    }

    /** {@return the path of a file, from its first line} */
    private static String name(String file) {
        String place = file.lines().findFirst().orElseThrow();
        assertThat(place).startsWith(PLACE_OF_SOURCES);
        return place.substring(PLACE_OF_SOURCES.length());
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    String url(String path) {
        return "http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port") + path;
    }

    CompletableFuture<HttpResponse<String>> get(String path) {
        return send("GET", path, "");
    }

    CompletableFuture<HttpResponse<String>> send(String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url(path)))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() throws IOException {
        Deadline.close(client);
        context.close();
        classes.close();
    }
}
