package io.github.kobe.stress;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Runs jcstress over all tests of this module: briefly, or with {@code -Djcstress.mode=default} for long;
 * {@code -Djcstress.tests=Handover} picks those whose names match.
 */
@Tag("deep")
class JcstressTests {

    private static final String MODE = System.getProperty("jcstress.mode", "short");
    private static final Pattern TESTS = Pattern.compile(System.getProperty("jcstress.tests", "."));
    private static final String CONTROL = Control.class.getName();

    private static Collection<TestResult> results;

    @BeforeAll
    @Timeout(value = 8, unit = TimeUnit.DAYS) // it has a limit of its own
    static void runJcstress() throws Exception {
        assertThat(Runtime.getRuntime().availableProcessors())
                .as("jcstress races no threads on a single processor")
                .isGreaterThan(1);
        results = new JcstressRun(Path.of("target", "jcstress")).run(MODE, TESTS + "|" + Pattern.quote(CONTROL));
    }

    @Test
    void everyTestRuns() {
        Set<String> expected =
                TestList.tests().stream().filter(JcstressTests::isWanted).collect(toSet());
        assertThat(expected).isNotEmpty();
        assertThat(results.stream()
                        .filter(result -> result.status() == Status.NORMAL && result.getTotalCount() > 0)
                        .map(TestResult::getName))
                .containsAll(expected);
    }

    @Test
    void noOutcomeIsForbidden() {
        assertThat(results.stream()
                        .filter(result -> isWanted(result.getName()))
                        .flatMap(result -> failures(result).stream()))
                .isEmpty();
    }

    @Test
    void aForbiddenOutcomeIsSeen() {
        assertThat(results.stream()
                        .filter(result -> result.getName().equals(CONTROL))
                        .flatMap(result -> failures(result).stream()))
                .isNotEmpty()
                .allMatch(failure -> failure.contains("always happens"));
    }

    private static boolean isWanted(String test) {
        return !test.equals(CONTROL) && TESTS.matcher(test).find();
    }

    private static List<String> failures(TestResult result) {
        if (result.status() != Status.NORMAL) {
            return List.of(result.getName() + ": " + result.status() + " " + result.getMessages() + result.getVmErr());
        }
        if (result.grading().isPassed) {
            return List.of();
        }
        return result.grading().gradingResults.values().stream()
                .filter(JcstressTests::isForbidden)
                .map(outcome -> result.getName() + ": (" + outcome.id + ") " + outcome.count + " times, "
                        + outcome.description + ", of " + result.getTotalCount())
                .toList();
    }

    private static boolean isForbidden(GradingResult outcome) {
        return outcome.count > 0
                && switch (outcome.expect) {
                    case FORBIDDEN, UNKNOWN -> true;
                    case ACCEPTABLE, ACCEPTABLE_INTERESTING -> false;
                };
    }
}
