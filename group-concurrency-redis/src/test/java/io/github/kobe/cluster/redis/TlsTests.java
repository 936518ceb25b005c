package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Statement.Kind;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.RedisServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that speaks TLS alone, with a certificate of its own. */
@Tag("deep")
@Tag("lettuce")
@Tag("CL66")
@Timeout(120)
class TlsTests {

    private final int port = RedisServer.freePort();
    private @Nullable RedisServer server;

    @TempDir
    Path folder;

    private Path certificate() {
        return folder.resolve("cert.pem");
    }

    private Path privateKey() {
        return folder.resolve("key.pem");
    }

    @BeforeEach
    void makeCertificate() throws Exception {
        ChildProcess.of(List.of(
                        "openssl",
                        "req",
                        "-x509",
                        "-newkey",
                        "rsa:2048",
                        "-nodes",
                        "-days",
                        "1",
                        "-subj",
                        "/CN=localhost",
                        "-addext",
                        "subjectAltName=DNS:localhost",
                        "-keyout",
                        privateKey().toString(),
                        "-out",
                        certificate().toString()))
                .succeed(Duration.ofSeconds(30));
    }

    private void start(String clients) {
        server = RedisServer.start(
                "--tls-port",
                Integer.toString(port),
                "--tls-cert-file",
                certificate().toString(),
                "--tls-key-file",
                privateKey().toString(),
                "--tls-ca-cert-file",
                certificate().toString(),
                "--tls-auth-clients",
                clients);
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    private RedisClusterStore.Builder builder() {
        return RedisClusterStore.builder(RedisURI.create("rediss://localhost:" + port))
                .namespace("tests");
    }

    @Test
    void aCertificateThatIsTrustedWillDo() {
        start("no");
        SslOptions trusting =
                SslOptions.builder().trustManager(certificate().toFile()).build();
        try (RedisClusterStore store = builder().sslOptions(trusting).build()) {
            Speaker a = new Speaker(store, "a");
            a.speakUntilAnswered(Kind.OPEN);
            assertThat(a.say(Kind.EXCHANGE).kind()).isEqualTo(Answer.Kind.OK);
        }
    }

    @Test
    void aCertificateThatIsNotTrustedIsNamedAsTheReason() {
        start("no");
        try (RedisClusterStore store = builder().build()) {
            new Speaker(store, "a")
                    .speakUntilFailed(
                            Kind.OPEN,
                            "not connected to localhost:" + port
                                    + ": unable to find valid certification path to requested target");
        }
    }

    @Test
    void aServerThatWantsACertificateIsShownOne() {
        start("yes");
        SslOptions.Builder trusting =
                SslOptions.builder().trustManager(certificate().toFile());
        try (RedisClusterStore without = builder().sslOptions(trusting.build()).build()) {
            new Speaker(without, "a").speakUntilFailed(Kind.OPEN, "not connected to localhost:" + port + ": ");
        }
        SslOptions showing = trusting.keyManager(
                        certificate().toFile(), privateKey().toFile(), new char[0])
                .build();
        try (RedisClusterStore store = builder().sslOptions(showing).build()) {
            new Speaker(store, "a").speakUntilAnswered(Kind.OPEN);
        }
    }
}
