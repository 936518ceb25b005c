package io.github.kobe.testing.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.mutants.NamedTests.Ending;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles mutants and runs their tests, each in a virtual machine of its own that finds the mutant first. */
final class Bench {

    /** How long a test may take; one that hangs has no deadline of its own, and must get one. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** What must fail under a mutant fails at its deadline: sooner than in a build, where nothing is expected to. */
    private static final String SHORT_DEADLINES = "-Ddeadline.seconds=10";

    /** JUnit's own would make a hang look like a failure. */
    private static final String NO_TIMEOUTS = "-Djunit.jupiter.execution.timeout.mode=disabled";

    private final Path module;
    private final Path output;

    Bench(Path module, Path output) {
        this.module = module;
        this.output = output;
    }

    /** Checks that the tests are green as long as nothing is changed: on the same bench, from the same sources. */
    void requireGreen(List<Mutant> mutants) throws Exception {
        Path classes = Files.createDirectory(output.resolve("unchanged"));
        Map<String, String> sources = mutants.stream()
                .collect(Collectors.toMap(Mutant::path, mutant -> mutant.original(module), (one, same) -> one));
        assertThat(compile(sources, classes)).isEmpty();
        Map<List<String>, List<String>> byOptions = mutants.stream()
                .collect(Collectors.groupingBy(
                        Mutant::options, Collectors.mapping(Mutant::test, Collectors.toUnmodifiableList())));
        for (Map.Entry<List<String>, List<String>> same : byOptions.entrySet()) {
            List<String> tests = same.getValue().stream().distinct().toList();
            Run run = run(classes, same.getKey(), tests, LONGEST.multipliedBy(tests.size()));
            assertThat(run.endings()).as(run.log()).hasSize(tests.size()).allMatch(Ending.GREEN.name()::equals);
        }
    }

    /** Checks that the mutant's test turns red under it, by an assertion. */
    void requireRed(Mutant mutant) throws Exception {
        Path classes = Files.createTempDirectory(output, mutant.row());
        assertThat(compile(Map.of(mutant.path(), mutant.mutated(module)), classes))
                .isEmpty();
        Run run = run(classes, mutant.options(), List.of(mutant.test()), LONGEST);
        assertThat(run.endings()).as("%s%n%s", mutant, run.log()).containsExactly(Ending.RED.name());
    }

    /** {@return what the compiler has to say} */
    private static String compile(Map<String, String> sources, Path classes) {
        List<String> options = List.of(
                "-g",
                "-nowarn",
                "-parameters",
                "-proc:none",
                "--release",
                "21",
                "-d",
                classes.toString(),
                "-classpath",
                System.getProperty("java.class.path"));
        List<JavaFileObject> files = sources.entrySet().stream()
                .<JavaFileObject>map(source -> new Source(source.getKey(), source.getValue()))
                .toList();
        StringWriter findings = new StringWriter();
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(findings, null, null, options, null, files)
                .call();
        return compiled ? "" : findings.toString();
    }

    private Run run(Path classes, List<String> options, List<String> tests, Duration longest)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>();
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-"))
                .forEach(all::add);
        all.addAll(List.of("-Xshare:auto", "-XX:+EnableDynamicAgentLoading", SHORT_DEADLINES, NO_TIMEOUTS));
        all.addAll(options);
        String classPath = classes + File.pathSeparator + System.getProperty("java.class.path");
        Path log = Files.createTempFile(output, "test", ".log");
        return new Run(ChildProcess.java(all, classPath, NamedTests.class, tests)
                .into(log)
                .run(longest)
                .output());
    }

    /** What the tests' virtual machine has written. */
    private record Run(String log) {

        List<String> endings() {
            return log.lines()
                    .filter(line -> line.startsWith(NamedTests.MARK))
                    .flatMap(line -> Stream.of(line.split(" ")).skip(1).limit(1))
                    .toList();
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String path, String text) {
            super(URI.create("string:///" + path), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
