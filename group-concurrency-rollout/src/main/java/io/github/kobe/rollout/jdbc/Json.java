package io.github.kobe.rollout.jdbc;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.TypeAdapter;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.TaskStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Values that are stored as one JSON text, because no query needs their parts. */
final class Json {

    private static final Logger LOG = LoggerFactory.getLogger(Json.class);

    private static final Gson GSON = new GsonBuilder()
            .disableHtmlEscaping()
            .registerTypeAdapter(Duration.class, new DurationAsText())
            .create();

    private static final TypeToken<List<String>> TEXTS = new TypeToken<>() {};
    private static final TypeToken<List<Integer>> COUNTS = new TypeToken<>() {};
    private static final TypeToken<Map<String, String>> TEXTS_BY_NAME = new TypeToken<>() {};
    private static final TypeToken<Map<TaskStatus, Integer>> TALLY = new TypeToken<>() {};

    private static final Map<String, Class<?>> OCCURRENCES = Arrays.stream(Occurrence.class.getPermittedSubclasses())
            .filter(type -> type != Occurrence.Unknown.class)
            .collect(Collectors.toUnmodifiableMap(Class::getSimpleName, Function.identity()));

    private Json() {}

    static @Nullable String write(@Nullable Object value) {
        return value == null ? null : GSON.toJson(value);
    }

    static <T> @Nullable T read(@Nullable String text, Class<T> type) {
        return text == null ? null : GSON.fromJson(text, type);
    }

    static List<String> texts(String text) {
        return GSON.fromJson(text, TEXTS);
    }

    static List<Integer> counts(String text) {
        return GSON.fromJson(text, COUNTS);
    }

    static Map<String, String> textsByName(String text) {
        return GSON.fromJson(text, TEXTS_BY_NAME);
    }

    static Map<TaskStatus, Integer> tally(String text) {
        return GSON.fromJson(text, TALLY);
    }

    static String typeOf(Occurrence occurrence) {
        return occurrence.getClass().getSimpleName();
    }

    /** {@return what happened} What a newer version has written may be of another type, or have other fields. */
    static Occurrence occurrence(String type, String body) {
        Class<?> known = OCCURRENCES.get(type);
        if (known != null) {
            try {
                return (Occurrence) Objects.requireNonNull(GSON.fromJson(body, known), type);
            } catch (RuntimeException e) {
                LOG.debug("An event of type {} can't be read", type, e);
            }
        }
        return new Occurrence.Unknown(type, body);
    }

    private static final class DurationAsText extends TypeAdapter<Duration> {

        @Override
        public void write(JsonWriter out, @Nullable Duration value) throws IOException {
            out.value(value == null ? null : value.toString());
        }

        @Override
        public @Nullable Duration read(JsonReader in) throws IOException {
            if (in.peek() == JsonToken.NULL) {
                in.nextNull();
                return null;
            }
            return Duration.parse(in.nextString());
        }
    }
}
