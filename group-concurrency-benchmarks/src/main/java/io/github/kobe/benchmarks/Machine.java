package io.github.kobe.benchmarks;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** What the figures were measured on. */
final class Machine {

    private static final Path CPU = Path.of("/proc/cpuinfo");

    private Machine() {}

    static String text() {
        return "%d × %s, %s %s, %s, JDK %s, JVM options %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        processor(),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        ManagementFactory.getGarbageCollectorMXBeans().stream()
                                .map(GarbageCollectorMXBean::getName)
                                .collect(Collectors.joining(" + ")),
                        Runtime.version(),
                        ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    private static String processor() {
        try {
            return Files.readAllLines(CPU).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("processor");
        } catch (IOException elsewhere) {
            return "processor"; // only Linux has it there
        }
    }
}
