package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The texts of a page in two languages. */
public final class Translation {

    private static final Pattern VALUES = Pattern.compile("\\{(\\w+)}");

    private Translation() {}

    /** Fails unless both have the same texts in the same order, none is blank, and each has the same values in braces. */
    public static void assertThatBothHaveTheSameTexts(Map<String, String> english, Map<String, String> chinese) {
        assertThat(chinese.keySet()).containsExactlyElementsOf(english.keySet());
        assertThat(english).allSatisfy((name, text) -> {
            assertThat(text).as(name).isNotBlank();
            assertThat(chinese.get(name)).as(name).isNotBlank();
            assertThat(values(chinese.get(name))).as(name).isEqualTo(values(text));
        });
    }

    private static Set<String> values(String text) {
        return VALUES.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
