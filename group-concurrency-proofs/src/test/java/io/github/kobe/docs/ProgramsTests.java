package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Markdown;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs that pages show as whole files do what the pages say, and end as they say. */
class ProgramsTests {

    private static final String PLAIN = "docs/howto/plain-java.md";
    private static final String BULK = "docs/howto/bulk-jobs.md";

    private static final int ROWS = 10_000;

    /** What the JVM makes of SIGTERM. */
    private static final int TERMINATED = 143;

    private static final Pattern REPORT =
            Pattern.compile("(?m)^(?<done>\\d+) done, (?<failed>\\d+) failed, (?<notBegun>\\d+) not begun$");

    @TempDir
    Path folder;

    private static final class Report {

        private final Matcher numbers;

        private Report(ChildProcess.Ended end) {
            numbers = REPORT.matcher(end.output());
            assertThat(numbers.find()).as(end.output()).isTrue();
        }

        private int count(String what) {
            return Integer.parseInt(numbers.group(what));
        }

        private int sum() {
            return count("done") + count("failed") + count("notBegun");
        }
    }

    /** {@return the job, with as many rows} */
    private static String bulkJobOf(int rows) {
        return changed(Program.source(BULK), "ROWS = 10_000", "ROWS = " + rows);
    }

    private static String changed(String source, String text, String other) {
        assertThat(source).containsOnlyOnce(text);
        return source.replace(text, other);
    }

    @Test
    void theProgramInPlainJavaPrintsWhatThePageShows() throws Exception {
        String shown = Markdown.page(PLAIN)
                .blocks("console")
                .getFirst()
                .lines()
                .skip(1)
                .collect(Collectors.joining("\n"));
        ChildProcess.Ended end = Program.compiled(Program.source(PLAIN), folder).run();
        assertThat(end.output().strip()).isEqualTo(shown);
        assertThat(end.exitValue()).isZero();
    }

    @Test
    void aBulkJobWhoseRowsAllSucceedEndsWithZero() throws Exception {
        ChildProcess.Ended end = Program.compiled(bulkJobOf(500), folder).run();
        assertThat(end.output()).contains("500 done, 0 failed, 0 not begun");
        assertThat(end.exitValue()).isZero();
    }

    @Test
    @Tag("deep")
    void aBulkJobTellsWhichRowsFailedAndEndsWithOne() throws Exception {
        ChildProcess.Ended end = Program.compiled(bulkJobOf(1_000), folder).run();
        assertThat(end.output())
                .contains("row 999 of tenant-49 failed: java.io.IOException: no answer")
                .contains("999 done, 1 failed, 0 not begun");
        assertThat(end.exitValue()).isEqualTo(1);
    }

    /** Its rows take a second: those that wait would take longer than the grace, and be interrupted. */
    @Test
    void aBulkJobThatIsTerminatedLetsRowsEndBeginsNoOtherAndLosesNone() throws Exception {
        String job = changed(Program.source(BULK), "Duration.ofMillis(20)", "Duration.ofSeconds(1)");
        ChildProcess.Ended end = Program.compiled(job, folder).terminatedAfter("[1-9]\\d* of 10000 rows are done");
        Report report = new Report(end);
        assertThat(end.exitValue()).isEqualTo(TERMINATED);
        assertThat(report.sum()).isEqualTo(ROWS);
        assertThat(report.count("done")).isPositive();
        assertThat(report.count("notBegun")).isPositive();
        assertThat(end.output()).doesNotContain("InterruptedException");
        assertThat(report.count("failed")).isEqualTo(linesWith(end, " failed: "));
    }

    private static int linesWith(ChildProcess.Ended end, String text) {
        return (int) end.output().lines().filter(line -> line.contains(text)).count();
    }

    @Test
    @Tag("deep")
    void rowsThatOutlastTheGraceAreInterruptedAndCountAsFailed() throws Exception {
        String slow = changed(Program.source(BULK), "Duration.ofMillis(20)", "Duration.ofMinutes(10)");
        String impatient = changed(slow, "GRACE_SECONDS = 10", "GRACE_SECONDS = 1");
        String telling = changed(
                impatient, "begun.incrementAndGet();", "System.out.println(\"begun: \" + begun.incrementAndGet());");
        ChildProcess.Ended end = Program.compiled(telling, folder).terminatedAfter("begun: 20\\R");
        Report report = new Report(end);
        assertThat(end.exitValue()).isEqualTo(TERMINATED);
        assertThat(report.sum()).isEqualTo(ROWS);
        assertThat(report.count("done")).isZero();
        assertThat(report.count("failed")).isEqualTo(20).isEqualTo(linesWith(end, "InterruptedException"));
    }

    /** As it would after 30 seconds if it said nothing. */
    @Test
    @Tag("deep")
    void aBulkJobWithATimeOutCancelsItself() throws Exception {
        String timed =
                changed(bulkJobOf(1_000), "settings.withoutTimeout()", "settings.withTimeout(Duration.ofMillis(100))");
        ChildProcess.Ended end = Program.compiled(timed, folder).run();
        assertThat(new Report(end).count("done")).isLessThan(1_000);
        assertThat(end.output()).contains("CancelledByTimeoutException");
        assertThat(end.exitValue()).isEqualTo(1);
    }

    @Test
    void thePagesNameTheClassesThatTheirProgramsHave() {
        assertThat(Markdown.page(PLAIN).text())
                .contains("<exec.mainClass>" + Program.main(Program.source(PLAIN)) + "<");
        assertThat(Markdown.page(BULK).text()).contains("$CORE " + Program.main(Program.source(BULK)));
    }
}
