package io.github.kobe.cluster.redis;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Grant;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Statements, answers and hints as the scripts write and read them. */
final class Wire {

    /** Longer than any time that matters, and exact in the script. */
    private static final long LONGEST = 1L << 50;

    private static final String SEPARATOR = " ";

    private Wire() {}

    /**
     * What a script answered to a statement.
     *
     * @param denied whether hints could not be sent
     */
    record Reply(Answer answer, boolean denied) {}

    /**
     * A part of what nodes have and want.
     *
     * @param cursor from where to go on; {@code 0}: it is all
     */
    record Page(String cursor, List<NodeShare> shares) {}

    static byte[][] arguments(Statement statement) {
        List<byte[]> all = new ArrayList<>();
        add(all, statement.kind().name());
        add(all, statement.session());
        add(all, statement.epoch());
        add(all, statement.sequence());
        add(all, statement.after());
        add(all, Math.min(TimeUnit.MILLISECONDS.convert(statement.quiet()), LONGEST));
        add(all, statement.lease().toMillis());
        add(all, statement.form());
        add(all, statement.heartbeat() ? 1 : 0);
        add(all, statement.node());
        for (Demand demand : statement.demands()) {
            add(all, demand.resource());
            add(all, demand.has());
            add(all, demand.want());
            add(all, demand.spare());
            add(all, demand.limit());
        }
        return all.toArray(byte[][]::new);
    }

    static byte[][] arguments(String... texts) {
        byte[][] all = new byte[texts.length][];
        for (int i = 0; i < texts.length; i++) {
            all[i] = Bytes.of(texts[i]);
        }
        return all;
    }

    private static void add(List<byte[]> all, long number) {
        add(all, Long.toString(number));
    }

    private static void add(List<byte[]> all, String text) {
        all.add(Bytes.of(text));
    }

    /**
     * Reads what the script answers.
     *
     * @throws RuntimeException if that is no answer to the statement
     */
    static Reply reply(Statement statement, List<Object> parts) {
        Answer.Kind kind = Answer.Kind.valueOf(text(parts.get(0)));
        String[] head = text(parts.get(1)).split(SEPARATOR, -1);
        long epoch = Long.parseLong(head[0]);
        Duration learning = Duration.ofMillis(Long.parseLong(head[1]));
        int nodes = Integer.parseInt(head[2]);
        List<Grant> grants = List.of();
        List<String> hints = List.of();
        if (kind == Answer.Kind.OK) {
            grants = grants(text(parts.get(2)), statement.demands().size());
            hints = parts.subList(3, parts.size()).stream().map(Wire::text).toList();
        }
        String reason = kind == Answer.Kind.REFUSED ? text(parts.get(2)) : null;
        return new Reply(new Answer(kind, epoch, learning, nodes, grants, hints, reason), head[3].equals("1"));
    }

    private static List<Grant> grants(String text, int count) {
        String[] numbers = text.isEmpty() ? new String[0] : text.split(SEPARATOR, -1);
        if (numbers.length != 4 * count) {
            throw new IllegalArgumentException(numbers.length + " numbers for " + count + " demands");
        }
        List<Grant> grants = new ArrayList<>(count);
        for (int i = 0; i < numbers.length; i += 4) {
            grants.add(new Grant(
                    Integer.parseInt(numbers[i]),
                    Integer.parseInt(numbers[i + 1]),
                    Duration.ofMillis(Long.parseLong(numbers[i + 2])),
                    Integer.parseInt(numbers[i + 3])));
        }
        return grants;
    }

    /** Reads a page: a cursor, and of each node session, name, has, wants, and for how long it is silent. */
    static Page page(List<Object> parts) {
        List<NodeShare> shares = new ArrayList<>();
        for (int i = 1; i < parts.size(); i += 5) {
            shares.add(new NodeShare(
                    text(parts.get(i)),
                    text(parts.get(i + 1)),
                    capped(text(parts.get(i + 2))),
                    capped(text(parts.get(i + 3))),
                    Duration.ofMillis(Long.parseLong(text(parts.get(i + 4))))));
        }
        return new Page(text(parts.getFirst()), shares);
    }

    /** Reads why statements can't be carried out; empty: they can. */
    static Optional<String> hindrance(List<Object> parts) {
        return parts.stream().findFirst().map(Wire::text);
    }

    static NodeShare sum(NodeShare one, NodeShare other) {
        long has = (long) one.has() + other.has();
        long wants = (long) one.wants() + other.wants();
        return new NodeShare(one.session(), one.node(), capped(has), capped(wants), one.silentFor());
    }

    private static int capped(String number) {
        return capped(Long.parseLong(number));
    }

    private static int capped(long number) {
        return (int) Math.min(number, Integer.MAX_VALUE);
    }

    /** {@return the resources of a hint, each with its length in bytes and a colon before; empty if it can't be read} */
    static List<String> resources(byte[] message) {
        List<String> all = new ArrayList<>();
        int at = 0;
        while (at < message.length) {
            int start = at;
            int length = 0;
            while (at < message.length && message[at] >= '0' && message[at] <= '9' && length < message.length) {
                length = 10 * length + message[at++] - '0';
            }
            int from = at + 1;
            if (at == start || at >= message.length || message[at] != ':' || length > message.length - from) {
                return List.of();
            }
            at = from + length;
            all.add(Bytes.text(message, from, at));
        }
        return all;
    }

    private static String text(@Nullable Object part) {
        if (part instanceof byte[] bytes) {
            return Bytes.text(bytes);
        }
        throw new IllegalArgumentException("no text: " + part);
    }
}
