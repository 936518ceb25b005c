package io.github.kobe.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

@Tag("deep")
class HangWatchTests {

    private static final String HANG_SECONDS = "-Dhang.seconds=4";

    /** No interrupt ends it. */
    private static void hang() {
        Deadline.reached(() -> false);
    }

    static class InATest {
        @Test
        void hangs() {
            hang();
        }
    }

    static class AfterAllOfThem {
        @Test
        void ends() {}

        @AfterAll
        static void hangs() {
            hang();
        }
    }

    @ExtendWith(InAnExtension.Hanging.class)
    static class InAnExtension {
        @Test
        void ends() {}

        static final class Hanging implements AfterAllCallback {
            @Override
            public void afterAll(ExtensionContext context) {
                hang();
            }
        }
    }

    static class WithALimitOfItsOwn {
        @Test
        @Timeout(value = 1, unit = TimeUnit.HOURS)
        void takesLong() {
            long start = System.nanoTime();
            Deadline.until(
                    "eight seconds",
                    () -> System.nanoTime() - start > Duration.ofSeconds(8).toNanos());
        }
    }

    /** Runs the tests of a class. */
    static final class Run {
        public static void main(String[] names) throws ClassNotFoundException {
            LauncherFactory.create()
                    .execute(LauncherDiscoveryRequestBuilder.request()
                            .selectors(selectClass(Class.forName(names[0])))
                            .build());
        }
    }

    @Test
    void aTestThatHangsIsNamedWithItsStackAndEndsTheRun() throws Exception {
        assertThatItIsNamedAndEndsTheRun(InATest.class, InATest.class.getName() + "#hangs");
    }

    @ParameterizedTest
    @ValueSource(classes = {AfterAllOfThem.class, InAnExtension.class})
    void aClassThatHangsIsNamedWithItsStackAndEndsTheRun(Class<?> type) throws Exception {
        assertThatItIsNamedAndEndsTheRun(type, type.getSimpleName());
    }

    private static void assertThatItIsNamedAndEndsTheRun(Class<?> type, String name) throws Exception {
        ChildProcess.Ended ended = run(type);

        assertThat(ended.exitValue()).isEqualTo(3);
        assertThat(ended.output())
                .containsPattern("HANGS: nothing has begun or ended for PT\\S+ in .*" + Pattern.quote(name))
                .contains("HangWatchTests.hang(");
    }

    @Test
    void whatMayTakeLongMay() throws Exception {
        ChildProcess.Ended ended = run(WithALimitOfItsOwn.class);

        assertThat(ended.exitValue()).as(ended.output()).isZero();
    }

    private static ChildProcess.Ended run(Class<?> type) throws IOException, InterruptedException {
        return ChildProcess.java(List.of(HANG_SECONDS), Run.class, List.of(type.getName()))
                .run(Deadline.LONG);
    }
}
