package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Markdown;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Follows the quick start: its files, its calls and the answers that it shows. */
class QuickStartTests {

    private static final Markdown PAGE = Markdown.page("docs/howto/quick-start.md");
    private static final Pattern COMMAND = Pattern.compile("curl .*?localhost:8080(?<path>[^' ]*)'?(?: \\| grep -o "
            + "'(?<grep>[^']*)')?(?<count> \\| sort \\| uniq -c)?");
    private static final Pattern RANGE = Pattern.compile("\\[(\\d+)-(\\d+)]");

    private static QuickStartApplication application;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        application = new QuickStartApplication(PAGE, folder);
    }

    @AfterAll
    static void stop() throws Exception {
        application.close();
    }

    @Test
    void theQuickStartWorksAsWritten() throws Exception {
        makeTheCallsAndCompareTheAnswers();
        checkThatOverloadIsAnsweredWith429();
    }

    private static void makeTheCallsAndCompareTheAnswers() throws Exception {
        List<Step> steps = PAGE.blocks("console").stream()
                .flatMap(QuickStartTests::steps)
                .filter(step -> !step.counts())
                .toList();
        assertThat(steps).hasSize(4);
        for (Step step : steps) {
            List<String> answers = step.answers();
            if (step.measuresTime()) {
                assertThat(answers).hasSameSizeAs(step.shown());
            } else {
                assertThat(answers).isEqualTo(step.shown());
            }
        }
    }

    private static void checkThatOverloadIsAnsweredWith429() throws Exception {
        GroupExecutor executor = application.bean(GroupExecutor.class);
        executor.setLimits("tenant:full", GroupLimits.unset().withQueueThreshold(0));
        executor.pause("tenant:full");

        assertThat(answer("/reports/full").statusCode()).isEqualTo(429);

        List<String> counts = PAGE.blocks("console").stream()
                .flatMap(QuickStartTests::steps)
                .filter(Step::counts)
                .flatMap(step -> step.shown().stream())
                .toList();
        assertThat(counts).hasSize(2);
        assertThat(counts.getFirst()).endsWith(" 200");
        assertThat(counts.getLast()).endsWith(" 429");
    }

    @Test
    void theBuildFilesNameWhatThisBuildMakes() throws Exception {
        String parent = Files.readString(Markdown.repository().resolve("pom.xml"));
        String version = first("<version>([^<]+)</version>", parent);
        String boot = first("<spring-boot4.version>([^<]+)<", parent);
        String pom = PAGE.blocks("xml").getFirst();
        assertThat(pom)
                .contains("<version>" + version + "</version>")
                .contains("<version>" + boot + "</version>")
                .contains("<java.version>21</java.version>");
        assertThat(PAGE.blocks("groovy").getFirst())
                .contains("group-concurrency-spring-boot-starter:" + version + "'")
                .contains("'org.springframework.boot' version '" + boot + "'");
    }

    private static String first(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }

    private static HttpResponse<String> answer(String path) throws Exception {
        return application.get(path).get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    /** One command of a block, and the lines that are shown below it. */
    private record Step(String command, List<String> shown) {

        MatchResult parts() {
            Matcher parts = COMMAND.matcher(command);
            assertThat(parts.matches()).as(command).isTrue();
            return parts;
        }

        boolean counts() {
            return parts().group("count") != null;
        }

        boolean measuresTime() {
            return command.contains("%{time_total}");
        }

        /** Does what curl would do, which makes as many calls at once as the range in brackets says. */
        List<String> answers() throws Exception {
            List<CompletableFuture<HttpResponse<String>>> calls =
                    paths(parts().group("path")).map(application::get).toList();
            List<String> answers = new ArrayList<>();
            for (CompletableFuture<HttpResponse<String>> call : calls) {
                HttpResponse<String> answer = call.get(Deadline.SECONDS, TimeUnit.SECONDS);
                assertThat(answer.statusCode()).as(command).isEqualTo(200);
                answers.addAll(lines(answer.body()));
            }
            return answers;
        }

        private List<String> lines(String body) {
            String grep = parts().group("grep");
            return grep == null
                    ? body.lines().toList()
                    : Pattern.compile(grep)
                            .matcher(body)
                            .results()
                            .map(MatchResult::group)
                            .toList();
        }
    }

    private static Stream<String> paths(String path) {
        Matcher range = RANGE.matcher(path);
        return range.find()
                ? IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
                        .mapToObj(number -> range.replaceFirst(Integer.toString(number)))
                : Stream.of(path);
    }

    private static Stream<Step> steps(String block) {
        return Pattern.compile("(?m)^\\$ ")
                .splitAsStream(block)
                .filter(text -> !text.isBlank())
                .map(text -> new Step(
                        text.lines().findFirst().orElseThrow(),
                        text.lines().skip(1).map(String::strip).collect(Collectors.toList())));
    }
}
