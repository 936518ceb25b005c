package io.github.kobe.testing;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Ends a run that hangs, after it has said where and what every thread does; found by JUnit as a service. JUnit's own
 * time-outs come first, but they only interrupt, and they don't know of extensions.
 */
public final class HangWatch implements TestExecutionListener {

    /** Longer than JUnit gives a test and what comes after it: 60 s each. It comes on top of any {@code @Timeout}. */
    private static final Duration LONGEST = Duration.ofSeconds(Integer.getInteger("hang.seconds", 150));

    private static final int EXIT_VALUE = 3;

    private final Deque<TestIdentifier> running = new ConcurrentLinkedDeque<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile long lastEvent = System.nanoTime();

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        String mode = plan.getConfigurationParameters()
                .get(Timeout.TIMEOUT_MODE_PROPERTY_NAME)
                .orElse("enabled");
        boolean debugged = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .anyMatch(argument -> argument.contains("jdwp"));
        if (mode.equals("disabled") || debugged) {
            return;
        }
        Thread watch = new Thread(this::watch, "hang watch");
        watch.setDaemon(true);
        watch.start();
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        running.addLast(test);
        lastEvent = System.nanoTime();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        running.remove(test);
        lastEvent = System.nanoTime();
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        over.countDown();
    }

    private void watch() {
        try {
            while (!over.await(1, TimeUnit.SECONDS)) {
                long quiet = System.nanoTime() - lastEvent;
                if (quiet > LONGEST.toNanos() && quiet > limit().toNanos()) {
                    BuildOutput.tell("HANGS: nothing has begun or ended for " + Duration.ofNanos(quiet) + " in "
                            + running.stream().map(HangWatch::name).collect(Collectors.joining(", ")));
                    System.err.println(threads());
                    System.err.flush();
                    // No exit: what hangs may also hang what runs at one.
                    Runtime.getRuntime().halt(EXIT_VALUE);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@return how long what runs now may take} Nothing says which method of a class it is, so the longest counts. */
    private Duration limit() {
        return running.stream()
                .flatMap(HangWatch::types)
                .flatMap(type -> Stream.concat(Stream.of(type), Arrays.stream(type.getDeclaredMethods())))
                .map(HangWatch::timeout)
                .flatMap(Optional::stream)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO)
                .plus(LONGEST);
    }

    private static Stream<Class<?>> types(TestIdentifier test) {
        return test
                .getSource()
                .map(source -> switch (source) {
                    case ClassSource ofClass -> ofClass.getJavaClass();
                    case MethodSource ofMethod -> ofMethod.getJavaClass();
                    default -> Object.class;
                })
                .stream()
                .flatMap(type -> Stream.<Class<?>>iterate(type, each -> each != null, Class::getSuperclass));
    }

    private static Optional<Duration> timeout(AnnotatedElement element) {
        return AnnotationSupport.findAnnotation(element, Timeout.class)
                .map(timeout -> Duration.of(timeout.value(), timeout.unit().toChronoUnit()));
    }

    private static String name(TestIdentifier test) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .map(method -> method.getClassName() + "#" + method.getMethodName())
                .orElse(test.getDisplayName());
    }

    /** {@return what every thread does, virtual ones too} */
    private static String threads() {
        try {
            Path folder = Files.createTempDirectory("hang");
            Path file = folder.resolve("threads"); // a dump wants a new one
            try {
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                        .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
                return Files.readString(file);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
