package io.github.kobe.benchmarks;

import java.nio.file.Path;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The benchmarks of JMH, with what they allocate. */
final class Jmh {

    private static final TimeValue SECOND = TimeValue.seconds(1);

    private Jmh() {}

    /** Leaves its results in a file. */
    static void run(Path folder, Size size) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(Jmh.class.getPackageName() + "\\..*Benchmark\\.")
                .shouldFailOnError(true)
                .resultFormat(ResultFormatType.JSON)
                .result(folder.resolve("jmh.json").toString());
        switch (size) {
            case FULL ->
                options.forks(3)
                        .warmupIterations(5)
                        .warmupTime(SECOND)
                        .measurementIterations(5)
                        .measurementTime(SECOND)
                        .addProfiler(GCProfiler.class);
            case SMALL ->
                options.forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(1))
                        .verbosity(VerboseMode.SILENT);
        }
        new Runner(options.build()).run();
    }
}
