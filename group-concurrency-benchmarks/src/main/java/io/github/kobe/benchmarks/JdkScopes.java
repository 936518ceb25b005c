package io.github.kobe.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The JDK's {@code StructuredTaskScope}. It is a preview, another one in each JDK, so what uses it is compiled when it is
 * needed, and only by the JDK that it is written for; elsewhere it takes no part.
 */
final class JdkScopes extends RawThreads {

    private static final String SOURCE = "JdkBlocks";

    /** The one whose preview {@value #SOURCE} is written for. */
    private static final int JDK = 25;

    /** What makes a JVM run it. */
    private static final String OPTION = "--enable-preview";

    /** Compiled once, when the first of them is made. */
    private static final class Compiled {
        private static final Function<Block.Joining, Block> OPENING = opening();
    }

    /** {@return what the JVM that measures is to be started with} */
    static List<String> options() {
        return Runtime.version().feature() == JDK ? List.of(OPTION) : List.of();
    }

    /** {@return what they have in this JVM} */
    static Trait[] traits() {
        boolean runs = Runtime.version().feature() == JDK
                && ManagementFactory.getRuntimeMXBean().getInputArguments().contains(OPTION);
        return runs ? new Trait[] {Trait.SCOPES} : new Trait[0];
    }

    @Override
    public Block open(Block.Joining joining) {
        return Compiled.OPENING.apply(joining);
    }

    /** Compiles the source beside this class, and defines what comes of it as if it had been there. */
    @SuppressWarnings("unchecked") // it says so itself
    private static Function<Block.Joining, Block> opening() {
        try {
            Path folder = Files.createTempDirectory("preview");
            try {
                Class<?> opening = null;
                for (Path file : compiled(folder)) {
                    Class<?> type = MethodHandles.lookup().defineClass(Files.readAllBytes(file));
                    opening = type.getName().endsWith("." + SOURCE) ? type : opening;
                }
                return (Function<Block.Joining, Block>)
                        Objects.requireNonNull(opening).getDeclaredConstructor().newInstance();
            } finally {
                delete(folder);
            }
        } catch (IOException | ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static List<Path> compiled(Path folder) throws IOException {
        Path source = folder.resolve(SOURCE + ".java");
        try (InputStream text = Objects.requireNonNull(JdkScopes.class.getResourceAsStream(SOURCE + ".java"))) {
            Files.copy(text, source);
        }
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int status = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        said,
                        said,
                        OPTION,
                        "--release",
                        Integer.toString(JDK),
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        folder.toString(),
                        source.toString());
        if (status != 0) {
            throw new IllegalStateException(said.toString(StandardCharsets.UTF_8));
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".class")).toList();
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
