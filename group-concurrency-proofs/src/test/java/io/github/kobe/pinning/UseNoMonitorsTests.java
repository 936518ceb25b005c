package io.github.kobe.pinning;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.HouseRules;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rule that core keeps, on core and on classes that break it. */
@Tag("deep")
class UseNoMonitorsTests {

    @Test
    void theEngineUsesNoMonitors() {
        classes().should(new UseNoMonitors()).check(HouseRules.classesBeside(GroupExecutor.class));
    }

    @Test
    void aSynchronizedMethodIsSeen() {
        assertThat(seenIn(SynchronizedMethod.class)).containsExactly("enter is synchronized");
    }

    static class SynchronizedMethod {
        synchronized void enter() {}
    }

    @Test
    void aSynchronizedBlockIsSeenInALambdaToo() {
        assertThat(seenIn(SynchronizedBlock.class))
                .containsExactlyInAnyOrder("enter has a synchronized block", "lambda$later$0 has a synchronized block");
    }

    static class SynchronizedBlock {
        final Object monitor = new Object();

        int enter() {
            synchronized (monitor) {
                return 1;
            }
        }

        Runnable later() {
            return () -> {
                synchronized (monitor) {
                    enter();
                }
            };
        }
    }

    @Test
    void waitingAndNotifyingAreSeenAlsoByReference() {
        assertThat(seenIn(WaitAndNotify.class))
                .containsExactlyInAnyOrder(
                        "sleep calls Object.wait", "sleep calls Object.wait", "wake calls Object.notifyAll");
    }

    @SuppressWarnings("WaitNotInLoop") // nobody calls it
    static class WaitAndNotify {
        void sleep() throws InterruptedException {
            wait();
            wait(1);
        }

        Runnable wake() {
            return this::notifyAll;
        }
    }

    @Test
    void callsOfTheJdkThatHoldAMonitorAreSeen() {
        assertThat(seenIn(Borrowed.class))
                .containsExactlyInAnyOrder(
                        "count calls ConcurrentHashMap.merge",
                        "fill calls ConcurrentMap.computeIfAbsent",
                        "reference calls ConcurrentHashMap.compute",
                        "list calls Collections.synchronizedList",
                        "join calls Thread.join");
    }

    static class Borrowed {
        final ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>();

        void count() {
            map.merge("a", 1, Integer::sum);
        }

        Integer fill(ConcurrentMap<String, Integer> any) {
            return any.computeIfAbsent("a", String::length);
        }

        BiFunction<String, BiFunction<String, Integer, Integer>, Integer> reference() {
            return map::compute;
        }

        List<String> list(List<String> plain) {
            return Collections.synchronizedList(plain);
        }

        void join(Thread other) throws InterruptedException {
            other.join(1);
        }
    }

    @Test
    void aLockIsLetThrough() {
        assertThat(seenIn(Lock.class)).isEmpty();
    }

    static class Lock {
        final ReentrantLock lock = new ReentrantLock();
        final ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>();

        Integer enter() {
            lock.lock();
            try {
                return map.putIfAbsent("a", 1);
            } finally {
                lock.unlock();
            }
        }
    }

    private static List<String> seenIn(Class<?> type) {
        return classes()
                .should(new UseNoMonitors())
                .evaluate(new ClassFileImporter().importClasses(type))
                .getFailureReport()
                .getDetails()
                .stream()
                .map(detail -> detail.substring(type.getName().length() + 1))
                .toList();
    }
}
