package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What hinders statements on a server, by what it tells scripts of itself. */
@Tag("deep")
@Tag("CL66")
@ExtendWith(OneServer.class)
class CheckScriptTests {

    private static final String INFO = "redis.pcall('INFO', 'server', 'replication')";

    private static Optional<String> hindrance(String text) {
        List<Object> parts = OneServer.connection()
                .sync()
                .eval(text.getBytes(StandardCharsets.UTF_8), ScriptOutputType.MULTI, new byte[][] {Bytes.of("gc:{a}")});
        return Wire.hindrance(parts);
    }

    private static String whereItTells(String info) {
        String text = new String(Script.CHECK.text(), StandardCharsets.UTF_8);
        assertThat(text).containsOnlyOnce(INFO);
        return text.replace(INFO, info);
    }

    @Test
    void aServerThatTellsWhichItIsHindersNothing() {
        assertThat(hindrance(whereItTells(INFO))).isEmpty();
    }

    @Test
    void aServerThatRefusesToTellIsQuoted() {
        assertThat(hindrance(whereItTells("redis.error_reply('ERR not allowed from script')")))
                .contains("ERR not allowed from script");
    }

    @Test
    void aServerThatTellsTooLittleIsSaidTo() {
        assertThat(hindrance(whereItTells("'# Server\\r\\nredis_version:7.2.4\\r\\n'")))
                .contains("it tells no run_id");
        assertThat(hindrance(whereItTells("'# Server\\r\\nrun_id:a1\\r\\n'"))).contains("it tells no master_replid");
    }
}
