package io.github.kobe.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation. */
public record Markdown(Path file, String text) {

    private static final Pattern FENCE = Pattern.compile("(?m)^( *)```(.*)\\n((?s:.*?))^\\1```$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)|(?:href|src|srcset)=\"([^\"]+)\"");
    private static final Pattern HEADING = Pattern.compile("(?m)^(#+) (.*)$");
    private static final Pattern LINK_IN_HEADING = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

    /** A fenced block, without the indentation of its place. */
    public record Block(String place, String mark, String code) {

        /** {@return a name for the class it is compiled into, which tells its place} */
        public String className() {
            return place.replaceAll("\\W", "_");
        }

        @Override
        public String toString() {
            return place;
        }
    }

    /** {@return the top folder of the repository} */
    public static Path repository() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mvnw"))) {
            folder = Objects.requireNonNull(folder.getParent(), "the tests run outside the repository");
        }
        return folder;
    }

    public static Markdown page(String name) {
        return read(repository().resolve(name));
    }

    /** {@return the pages at the top, in the sample and under docs} */
    public static List<Markdown> pages() {
        Path top = repository();
        try (Stream<Path> atTop = Files.list(top);
                Stream<Path> ofSample = Files.list(top.resolve("sample-app"));
                Stream<Path> docs = Files.walk(top.resolve("docs"))) {
            return Stream.of(atTop, ofSample, docs)
                    .flatMap(paths -> paths)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .map(Markdown::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Markdown read(Path file) {
        try {
            return new Markdown(file, Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String name() {
        return repository().relativize(file).toString();
    }

    public List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        Matcher matcher = FENCE.matcher(text);
        while (matcher.find()) {
            long line = text.substring(0, matcher.start()).lines().count() + 1;
            String mark = matcher.group(2).strip();
            blocks.add(
                    new Block(name() + ":" + line, mark, matcher.group(3).replaceAll("(?m)^" + matcher.group(1), "")));
        }
        return blocks;
    }

    /** {@return the code of the blocks with this mark} */
    public List<String> blocks(String mark) {
        return blocks().stream()
                .filter(block -> block.mark().equals(mark))
                .map(Block::code)
                .toList();
    }

    /** {@return the rows of the table that has these headings, as the texts of their cells} */
    public List<List<String>> table(String... headings) {
        String head = "| " + String.join(" | ", headings) + " |\n";
        int start = text.indexOf(head);
        if (start < 0) {
            throw new AssertionError(name() + " has no table " + head.strip());
        }
        return text.substring(start + head.length())
                .lines()
                .skip(1)
                .takeWhile(line -> line.startsWith("|"))
                .map(Markdown::cells)
                .toList();
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.substring(1, row.length() - 1).split(" \\|(?= |$)"))
                .map(String::strip)
                .toList();
    }

    /** {@return what is under a heading of the second level, up to the next of that level} */
    public String section(String heading) {
        int start = text.indexOf("\n## " + heading + "\n") + 1;
        int end = text.indexOf("\n## ", start);
        return text.substring(start, end < 0 ? text.length() : end);
    }

    private String prose() {
        return FENCE.matcher(text).replaceAll("");
    }

    /** {@return the targets of links and images, in and outside the repository} */
    private Stream<String> links() {
        return LINK.matcher(prose())
                .results()
                .map(result -> Objects.requireNonNullElseGet(result.group(1), () -> result.group(2)));
    }

    /** {@return the targets of links and images that are in the repository} */
    public List<String> relativeLinks() {
        return links().filter(target -> !target.contains("://")).toList();
    }

    /** {@return the targets of links that lead to other sites} */
    public List<String> externalLinks() {
        return links().filter(target -> target.contains("://")).toList();
    }

    /** {@return the levels of the headings, in their order} */
    public List<Integer> headingLevels() {
        return HEADING.matcher(prose())
                .results()
                .map(heading -> heading.group(1).length())
                .toList();
    }

    /** {@return the pages of the repository that this one links, by a link to their folder too} */
    public List<Markdown> linkedPages() {
        return relativeLinks().stream()
                .map(link -> link.replaceFirst("#.*", ""))
                .map(link -> file.resolveSibling(link).normalize())
                .flatMap(Markdown::filesAt)
                .filter(path -> path.toString().endsWith(".md"))
                .map(Markdown::read)
                .toList();
    }

    private static Stream<Path> filesAt(Path target) {
        if (!Files.isDirectory(target)) {
            return Stream.of(target);
        }
        try (Stream<Path> files = Files.list(target)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return whether there is a heading that a link with {@code fragment} leads to, as GitHub names them} */
    public boolean hasAnchor(String fragment) {
        return anchors().contains(URI.create("#" + fragment).getFragment());
    }

    private List<String> anchors() {
        Map<String, Integer> seen = new HashMap<>();
        return HEADING.matcher(prose())
                .results()
                .map(heading -> anchor(heading.group(2)))
                .map(anchor -> {
                    int before = seen.merge(anchor, 1, Integer::sum) - 1;
                    return before == 0 ? anchor : anchor + "-" + before;
                })
                .toList();
    }

    private static String anchor(String heading) {
        return LINK_IN_HEADING
                .matcher(heading)
                .replaceAll("$1")
                .strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{M}\\p{N}\\p{Pc} -]", "")
                .replace(' ', '-');
    }
}
