package io.github.kobe.sample.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.sample.SampleApplication;
import io.github.kobe.sample.flood.Answers.Answer;
import io.github.kobe.sample.flood.FloodFilm.Run;
import io.github.kobe.sample.flood.FloodFilm.Words;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.w3c.dom.Document;

class FloodFilmTests {

    private static final int LARGEST = 200_000;
    private static final int CLIENTS = 150;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void itShowsEachRequestOfANeighbourAndEachReportOfTheFlood() throws Exception {
        Run quick = run(new Answer(SECOND, SECOND + 1, 200), new Answer(SECOND, SECOND + 2, 429));
        Run slow = run(new Answer(SECOND, 9 * SECOND, 200));

        Document film = parsed(FloodFilm.svg(Words.ENGLISH, slow, quick));

        assertThat(moves(film, "dot")).isEqualTo(2);
        assertThat(moves(film, "long")).isEqualTo(4);
        assertThat(moves(film, "short")).isEqualTo(4 + 4 + 4);
        assertThat(film.getDocumentElement().getTextContent()).contains("acme: 1 reports; 1 requests answered 429");
    }

    /** Writes the film that the front page shows, from another run. */
    @Test
    @Tag("deep")
    @Timeout(180)
    void theFilmOfTheFrontPageCanBeMade() throws Exception {
        Run without = flood("--group-concurrency.annotation.enabled=false");
        Run with = flood();

        for (Words words : Words.values()) {
            String film = FloodFilm.svg(words, without, with);
            assertThat(moves(parsed(film), "dot")).isPositive();
            assertThat(film.getBytes(StandardCharsets.UTF_8).length).isLessThan(LARGEST);
            String name = words == Words.ENGLISH ? "flood-film.svg" : "flood-film.zh-CN.svg";
            Files.writeString(Path.of("target", name), film);
        }
    }

    private static Run flood(String... settings) throws Exception {
        String[] arguments = Stream.concat(
                        Stream.of("--server.port=0", "--spring.main.banner-mode=off"), Stream.of(settings))
                .toArray(String[]::new);
        try (ConfigurableApplicationContext context =
                new SpringApplicationBuilder(SampleApplication.class).run(arguments)) {
            int port = ((WebServerApplicationContext) context).getWebServer().getPort();
            Flood flood = new Flood("http://localhost:" + port, CLIENTS, Duration.ofSeconds(12));
            return new Run(flood.run(Duration.ofSeconds(3), 0), flood.run(Duration.ofSeconds(12), CLIENTS));
        }
    }

    /** Each neighbour gets one report at once while it is alone, and then what the flooding tenant was answered first. */
    private static Run run(Answer... answers) {
        List<Answers> alone =
                Stream.of("acme", "a", "b", "c", "d").map(Answers::new).toList();
        List<Answers> flooded =
                Stream.of("acme", "a", "b", "c", "d").map(Answers::new).toList();
        alone.stream().skip(1).forEach(each -> each.add(new Answer(0, 1, 200)));
        Stream.of(answers).forEach(flooded.getFirst()::add);
        flooded.stream().skip(1).forEach(each -> each.add(answers[0]));
        return new Run(alone, flooded);
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    /** {@return how many lines there are in all paths of a class} */
    private static long moves(Document film, String type) {
        long count = 0;
        var paths = film.getElementsByTagName("path");
        for (int i = 0; i < paths.getLength(); i++) {
            var attributes = paths.item(i).getAttributes();
            if (attributes.getNamedItem("class").getNodeValue().equals(type)) {
                count += attributes
                        .getNamedItem("d")
                        .getNodeValue()
                        .chars()
                        .filter(c -> c == 'M')
                        .count();
            }
        }
        return count;
    }
}
