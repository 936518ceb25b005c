package io.github.kobe.spring.ai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A server that speaks OpenAI's chat API. What the user says decides how it answers: {@code wait}, after its gate was opened;
 * {@code halfway}, only the first part before that; {@code cut}, the first part and nothing more; {@code refuse}, with an error;
 * {@code uncounted}, without saying what that took; {@code tool}, by having a tool called first. Everything else at once.
 */
public final class ModelServer implements AutoCloseable {

    /** What it says each answer has taken. */
    public static final int PROMPT_TOKENS = 40;

    public static final int ANSWER_TOKENS = 20;

    private static final Duration KEEP_ALIVE = Duration.ofMillis(50);

    private static final ObjectMapper JSON = new ObjectMapper();

    private volatile Gate gate = new Gate();
    private volatile Gate asked = new Gate();
    private final AtomicInteger requests = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    public ModelServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** {@return the settings by which an application asks this server, with Spring AI 1.1 and 2.0} */
    public String[] settings() {
        String address = "http://localhost:" + server.getAddress().getPort();
        return new String[] {
            "spring.ai.openai.base-url=" + address,
            "spring.ai.openai.api-key=none",
            "spring.ai.openai.max-retries=0",
            "spring.ai.retry.max-attempts=1",
            "spring.ai.openai.chat.options.model=test",
            "spring.ai.openai.chat.options.stream-usage=true",
            "spring.ai.model.audio.speech=none",
            "spring.ai.model.audio.transcription=none",
            "spring.ai.model.embedding=none",
            "spring.ai.model.image=none",
            "spring.ai.model.moderation=none"
        };
    }

    /** Closes its gate, and forgets how often it was asked. */
    public void begin() {
        gate = new Gate();
        asked = new Gate();
        requests.set(0);
    }

    /** Goes on with what its gate holds back. */
    public void open() {
        gate.open();
    }

    /** Waits until it was asked for something that its gate holds back. */
    public void awaitAsked() {
        asked.passStubbornly();
    }

    /** {@return how often it was asked} */
    public int requests() {
        return requests.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        JsonNode request = JSON.readTree(exchange.getRequestBody());
        JsonNode last = request.path("messages").path(request.path("messages").size() - 1);
        String said = last.path("content").asText();
        if (said.equals("refuse")) {
            send(exchange, 400, "{\"error\": {\"message\": \"no\", \"type\": \"invalid_request_error\"}}");
        } else if (request.path("stream").asBoolean()) {
            stream(exchange, said, last);
        } else {
            hold(said.equals("wait"));
            ObjectNode answer = answer("chat.completion");
            ObjectNode choice = choiceOf(answer, said.equals("tool") ? "tool_calls" : "stop");
            message(choice.putObject("message"), said, last);
            if (!said.equals("uncounted")) {
                count(answer);
            }
            send(exchange, 200, answer.toString());
        }
        exchange.close();
    }

    private void stream(HttpExchange exchange, String said, JsonNode last) throws IOException {
        hold(said.equals("wait"));
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        OutputStream body = exchange.getResponseBody();
        ObjectNode first = answer("chat.completion.chunk");
        message(choiceOf(first, said.equals("tool") ? "tool_calls" : null).putObject("delta"), said, last);
        event(body, first.toString());
        if (said.equals("cut")) {
            throw new IOException("The connection ends here");
        }
        if (said.equals("halfway")) {
            ObjectNode empty =
                    answer("chat.completion.chunk"); // Spring AI 1.1 hands on a part once it has the next one
            choiceOf(empty, null).putObject("delta").put("content", "");
            event(body, empty.toString());
            asked.open();
            keepAlive(body);
        }
        ObjectNode end = answer("chat.completion.chunk");
        if (!said.equals("tool")) {
            choiceOf(end, "stop").putObject("delta").put("content", " of it");
            event(body, end.toString());
        }
        if (!said.equals("uncounted")) {
            ObjectNode usage = answer("chat.completion.chunk");
            usage.putArray("choices");
            count(usage);
            event(body, usage.toString());
        }
        event(body, "[DONE]");
    }

    private void hold(boolean held) {
        if (held) {
            asked.open();
            gate.passStubbornly();
        }
    }

    /**
     * Sends what providers send while a model is silent. OpenAI's client of Spring AI 2.0 can't let go of a stream of which
     * it awaits the next line.
     */
    private void keepAlive(OutputStream body) throws IOException {
        while (!gate.isOpen()) {
            body.write(": keep-alive\n\n".getBytes(StandardCharsets.UTF_8));
            body.flush();
            LockSupport.parkNanos(KEEP_ALIVE.toNanos());
        }
    }

    private static ObjectNode answer(String kind) {
        return JSON.createObjectNode()
                .put("id", "1")
                .put("object", kind)
                .put("created", 1)
                .put("model", "test");
    }

    private static ObjectNode choiceOf(ObjectNode answer, String finish) {
        ArrayNode choices = answer.withArray("choices");
        return choices.addObject().put("index", 0).put("finish_reason", finish);
    }

    /** Asks for a tool; or gives its result back, or what was said. */
    private static void message(ObjectNode message, String said, JsonNode last) {
        message.put("role", "assistant");
        if (said.equals("tool")) {
            message.put("content", "");
            message.withArray("tool_calls")
                    .addObject()
                    .put("index", 0)
                    .put("id", "call-1")
                    .put("type", "function")
                    .putObject("function")
                    .put("name", "starts")
                    .put("arguments", "{}");
        } else {
            message.put("content", last.path("role").asText().equals("tool") ? "the tool says " + said : "answer");
        }
    }

    private static void count(ObjectNode answer) {
        answer.putObject("usage")
                .put("prompt_tokens", PROMPT_TOKENS)
                .put("completion_tokens", ANSWER_TOKENS)
                .put("total_tokens", PROMPT_TOKENS + ANSWER_TOKENS);
    }

    private static void event(OutputStream body, String data) throws IOException {
        body.write(("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
        body.flush();
    }

    private static void send(HttpExchange exchange, int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        gate.open();
        server.stop(0);
        Deadline.close(threads);
    }
}
