package io.github.kobe.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.HouseRules;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page on the model says which step stands for which code; what it names has to exist. */
@Tag("deep")
class ModelNamesTests {

    private static final Pattern ROW = Pattern.compile("(?m)^\\|([^|]*)\\|([^|]*)\\|");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern MEMBER = Pattern.compile("(\\w+)\\.(\\w+)");

    private static final Pattern DEFINITION = Pattern.compile("(?:inline|proctype|#define|byte) (\\w+)");

    private static final JavaClasses ENGINE = HouseRules.classesBeside(GroupExecutor.class);

    private static List<String> names(String section, int column) {
        return ROW.matcher(Markdown.page("docs/internals/verification/model.md").section(section))
                .results()
                .flatMap(row -> NAME.matcher(row.group(column)).results())
                .map(name -> name.group(1))
                .toList();
    }

    private static boolean isInTheEngine(String name) {
        Matcher member = MEMBER.matcher(name);
        return member.matches()
                && ENGINE.stream()
                        .filter(type -> type.getPackageName().startsWith("io.github.kobe.internal."))
                        .filter(type -> type.getSimpleName().equals(member.group(1)))
                        .flatMap(type -> type.getMembers().stream())
                        .anyMatch(declared -> declared.getName().equals(member.group(2)));
    }

    private static String models() throws IOException {
        try (Stream<Path> files = Files.list(Spin.MODELS)) {
            StringBuilder text = new StringBuilder();
            for (Path file : files.toList()) {
                text.append(Files.readString(file));
            }
            return text.toString();
        }
    }

    @Test
    void whatTheStepsStandForIsInTheEngine() {
        assertThat(names("Steps and code", 2)).isNotEmpty().allMatch(ModelNamesTests::isInTheEngine);
    }

    @Test
    void whatIsNotInTheModelIsInTheEngine() {
        assertThat(names("What of today's engine is not in the model", 2))
                .isNotEmpty()
                .allMatch(ModelNamesTests::isInTheEngine);
    }

    @Test
    void everyStepIsInTheModel() throws IOException {
        Set<String> defined = DEFINITION
                .matcher(models())
                .results()
                .map(definition -> definition.group(1))
                .collect(Collectors.toSet());

        assertThat(names("Steps and code", 1)).isNotEmpty().allMatch(defined::contains);
    }
}
