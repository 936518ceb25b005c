package io.github.kobe.testing.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The program of a test's virtual machine: runs the tests that it is told and says how each ended. */
final class NamedTests implements TestExecutionListener {

    /** Begins a line that says that a test begins, which follows. */
    static final String BEGUN = "mutants begin: ";

    /** Begins a line that says how a test ended; the {@link Ending}, the milliseconds and the test follow. */
    static final String MARK = "mutants: ";

    /** How a test ended. */
    enum Ending {
        GREEN,
        /** An assertion failed. */
        RED,
        /** It had begun and didn't end; said by who waited for it. */
        HUNG,
        /** It broke down, by anything but an assertion. */
        BROKEN,
        /** There was nothing to run. */
        ABSENT
    }

    private final List<Throwable> failures = new ArrayList<>();
    /** Ends a test of many cases with the first that is red: the others might take long to fail. */
    private final CancellationToken enough = CancellationToken.create();

    private int ran;

    private NamedTests() {}

    public static void main(String... tests) {
        for (String test : tests) {
            NamedTests run = new NamedTests();
            System.out.println(BEGUN + test);
            long start = System.nanoTime();
            Ending ending = run.run(Mutant.testMethods(test));
            long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
            run.failures.forEach(failure -> failure.printStackTrace(System.out));
            System.out.println(MARK + ending + " " + millis + " " + test);
        }
        // A test that failed may have left threads behind.
        System.exit(0);
    }

    private Ending run(List<Method> methods) {
        for (Method method : methods) {
            LauncherFactory.create()
                    .execute(LauncherExecutionRequestBuilder.request(LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectMethod(method.getDeclaringClass(), method))
                                    .build())
                            .listeners(this)
                            .cancellationToken(enough)
                            .build());
        }
        return ending();
    }

    private Ending ending() {
        if (failures.isEmpty()) {
            return ran == 0 ? Ending.ABSENT : Ending.GREEN;
        }
        boolean linked = failures.stream().noneMatch(LinkageError.class::isInstance);
        return linked && failures.stream().anyMatch(NamedTests::isAssertion) ? Ending.RED : Ending.BROKEN;
    }

    private static boolean isAssertion(Throwable failure) {
        return failure instanceof AssertionError || failure instanceof ConditionTimeoutException;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest() && result.getStatus() != TestExecutionResult.Status.ABORTED) {
            ran++;
        }
        result.getThrowable().ifPresent(failures::add);
        if (ending() == Ending.RED) {
            enough.cancel();
        }
    }
}
