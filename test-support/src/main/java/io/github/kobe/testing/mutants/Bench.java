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
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles mutants and runs their tests, each in a virtual machine of its own that finds the mutant first. */
final class Bench {

    /** How long a test may take while nothing is changed. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** After how long a test hangs: so much more than {@link #LONGEST} that a busy machine alone doesn't get there. */
    static final Duration HANGS = Duration.ofMinutes(5);

    /** What must fail under a mutant fails at its deadline: sooner than in a build, where nothing is expected to. */
    private static final String SHORT_DEADLINES = "-Ddeadline.seconds=10";

    /** JUnit's own would make a hang look like a failure. */
    private static final String NO_TIMEOUTS = "-Djunit.jupiter.execution.timeout.mode=disabled";

    private final Path module;
    private final Path output;
    private final Duration hangs;

    /** @param hangs how long to wait for a test's end under its mutant */
    Bench(Path module, Path output, Duration hangs) {
        this.module = module;
        this.output = output;
        this.hangs = hangs;
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
            Run run = new Run(run(classes, same.getKey(), tests, LONGEST.multipliedBy(tests.size())));
            assertThat(run.tests()).as(run.log()).hasSize(tests.size()).allSatisfy(test -> {
                assertThat(test.ending()).isEqualTo(Ending.GREEN);
                assertThat(test.took()).isLessThan(LONGEST);
            });
        }
    }

    /**
     * Checks that the mutant's test turns red under it, by an assertion, or hangs: a build would end it, and fail.
     *
     * @return which of the two
     */
    Ending requireNoticed(Mutant mutant) throws Exception {
        Path classes = Files.createTempDirectory(output, mutant.row());
        assertThat(compile(Map.of(mutant.path(), mutant.mutated(module)), classes))
                .isEmpty();
        Run run;
        try {
            run = new Run(run(classes, mutant.options(), List.of(mutant.test()), hangs));
        } catch (ChildProcess.Overdue overdue) {
            Run unfinished = new Run(overdue.output());
            if (unfinished.hasBegun(mutant.test()) && unfinished.tests().isEmpty()) {
                return Ending.HUNG;
            }
            throw overdue;
        }
        assertThat(run.tests())
                .as("%s%n%s", mutant, run.log())
                .extracting(Run.Test::ending)
                .containsExactly(Ending.RED);
        return Ending.RED;
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

    /** {@return what the tests' virtual machine has written} */
    private String run(Path classes, List<String> options, List<String> tests, Duration longest)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>();
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-"))
                .forEach(all::add);
        all.addAll(List.of("-Xshare:auto", "-XX:+EnableDynamicAgentLoading", SHORT_DEADLINES, NO_TIMEOUTS));
        all.addAll(options);
        String classPath = classes + File.pathSeparator + System.getProperty("java.class.path");
        Path log = Files.createTempFile(output, "test", ".log");
        return ChildProcess.java(all, classPath, NamedTests.class, tests)
                .into(log)
                .run(longest)
                .output();
    }

    /** What the tests' virtual machine has written. */
    private record Run(String log) {

        /** A test that has ended. */
        private record Test(Ending ending, Duration took) {

            private static Test of(String line) {
                String[] parts = line.substring(NamedTests.MARK.length()).split(" ", 3);
                return new Test(Ending.valueOf(parts[0]), Duration.ofMillis(Long.parseLong(parts[1])));
            }
        }

        private boolean hasBegun(String test) {
            return log.lines().anyMatch((NamedTests.BEGUN + test)::equals);
        }

        private List<Test> tests() {
            return log.lines()
                    .filter(line -> line.startsWith(NamedTests.MARK))
                    .map(Test::of)
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
