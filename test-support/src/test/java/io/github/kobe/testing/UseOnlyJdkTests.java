package io.github.kobe.testing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Map;
import java.util.SequencedCollection;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rule that published modules keep for JDK 21, asked about an older one, which the classes here don't suit. */
@Tag("deep")
class UseOnlyJdkTests {

    @Test
    void aNewerClassFileIsSeen() {
        assertThat(seenIn(17, Plain.class)).containsExactly("has class file version 65");
    }

    @Test
    void newerClassesAndMembersAreSeenAlsoByReference() {
        assertThat(seenIn(17, Newer.class))
                .contains(
                        "names java.util.SequencedCollection",
                        "uses List.getFirst",
                        "uses List.removeLast",
                        "uses Thread.threadId",
                        "uses StringBuilder.repeat");
    }

    @SuppressWarnings("unused") // its class file is read
    static class Newer {
        int size(SequencedCollection<String> newerClass) {
            return newerClass.size();
        }

        Object first(List<String> list) {
            return list.getFirst();
        }

        Function<List<String>, String> reference() {
            return List::removeLast;
        }

        long inherited() {
            return new Thread() {}.threadId();
        }

        StringBuilder overload() {
            return new StringBuilder().repeat("a", 2);
        }
    }

    @Test
    void whatIsAsOldIsLetThrough() {
        assertThat(seenIn(21, Plain.class)).isEmpty();
        assertThat(seenIn(21, Newer.class)).isEmpty();
    }

    @SuppressWarnings("unused") // its class file is read
    static class Plain {
        static final VarHandle ITEMS = MethodHandles.arrayElementVarHandle(String[].class);

        boolean swap(String[] items) {
            return ITEMS.compareAndSet(items.clone(), 0, "a", "b");
        }

        String nested(Map<String, int[]> map) {
            for (Map.Entry<String, int[]> entry : map.entrySet()) {
                return entry.getKey() + System.out;
            }
            return String.join(",", map.keySet().toArray(String[]::new));
        }
    }

    private static List<String> seenIn(int release, Class<?> type) {
        return classes()
                .should(new UseOnlyJdk(release))
                .evaluate(new ClassFileImporter().importClasses(type))
                .getFailureReport()
                .getDetails()
                .stream()
                .map(detail -> detail.substring(type.getName().length() + 1))
                .toList();
    }
}
