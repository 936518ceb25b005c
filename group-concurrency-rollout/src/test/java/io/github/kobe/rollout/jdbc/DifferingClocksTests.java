package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.jdbc.core.JdbcTemplate;

/** Two nodes on one database, of which one takes the time of day to be an hour later than the other. */
@Tag("deep")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class DifferingClocksTests {

    private static final PlanId HERE = PlanId.of("plan-here");
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);
    private static final Duration CLOSE = Duration.ofMinutes(5);

    @TempDir
    private Path folder;

    @Test
    @Tag("R121")
    @Tag("R126")
    void neitherTakesTheOtherForLostBeforeItIs() throws Exception {
        Files.createFile(RolloutNode.held(folder));
        try (TestDatabase database = TestDatabase.Product.POSTGRESQL.open()) {
            String patch = "--patch-module=java.base=" + clockAhead();
            Process ahead = RolloutNode.start(List.of(patch), database.url(), "ahead", folder, 2, HEARTBEAT);
            try (Node here = new Node(
                    "here", database.dataSource(), HEARTBEAT, RolloutNode.stages(folder, "here"), event -> {})) {
                here.rollouts().close();
                new RolloutNodes(folder, 2).await(() -> "that of the other node runs", () -> runs("t0"));
                assertThat(Instant.parse(read(RolloutNode.time(folder, "ahead")).strip()))
                        .isCloseTo(Instant.now().plus(Duration.ofHours(1)), within(CLOSE));
                here.rollouts().open();
                here.rollouts()
                        .start(RolloutPlan.named(HERE.value())
                                .add(TenantChange.of("here", DeployUnit.of(7, 42, "blue"), "{}"))
                                .build());
                Deadline.until("that of this node runs", () -> runs("here"));
                Map<PlanId, Long> epochs = epochs(here);
                awaitBeats(new JdbcTemplate(database.dataSource()), 2 * (Node.MISSED + 1));
                assertThat(epochs(here)).hasSize(2).isEqualTo(epochs);

                ahead.destroyForcibly();
                Files.delete(RolloutNode.held(folder));

                for (PlanId planId : List.of(RolloutNode.PLAN, HERE)) {
                    PlanInfo plan = here.rollouts().await(planId, Deadline.LONG);
                    assertThat(plan.status()).isEqualTo(PlanStatus.COMPLETED);
                    assertThat(plan.createdAt()).isCloseTo(Instant.now(), within(CLOSE));
                    assertThat(plan.endedAt()).isCloseTo(Instant.now(), within(CLOSE));
                }
                assertThat(here.events())
                        .extracting(RolloutEvent::occurrence)
                        .contains(new Occurrence.TaskRecovered("here", "A"));
            } finally {
                ChildProcess.kill(ahead);
            }
        }
    }

    private static Map<PlanId, Long> epochs(Node node) {
        return node.store().findPlans(Integer.MAX_VALUE).stream()
                .collect(Collectors.toMap(PlanRecord::id, PlanRecord::epoch));
    }

    /** A folder with a clock that is an hour ahead, for {@code --patch-module}. */
    private Path clockAhead() throws IOException {
        ClassWriter ahead = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        try (InputStream clock = ClassLoader.getSystemResourceAsStream("java/time/Clock.class")) {
            new ClassReader(clock).accept(new Ahead(ahead), 0);
        }
        Path patch = folder.resolve("patch");
        Path file = patch.resolve("java/time/Clock.class");
        Files.createDirectories(file.getParent());
        Files.write(file, ahead.toByteArray());
        return patch;
    }

    /** Adds an hour to what the virtual machine takes for the time of day. */
    private static final class Ahead extends ClassVisitor {

        Ahead(ClassWriter writer) {
            super(Opcodes.ASM9, writer);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
            return !name.equals("currentInstant")
                    ? method
                    : new MethodVisitor(Opcodes.ASM9, method) {
                        @Override
                        public void visitInsn(int opcode) {
                            if (opcode == Opcodes.ARETURN) {
                                super.visitLdcInsn(Duration.ofHours(1).toSeconds());
                                super.visitMethodInsn(
                                        Opcodes.INVOKEVIRTUAL,
                                        "java/time/Instant",
                                        "plusSeconds",
                                        "(J)Ljava/time/Instant;",
                                        false);
                            }
                            super.visitInsn(opcode);
                        }
                    };
        }
    }

    private boolean runs(String tenant) {
        return read(RolloutNode.runs(folder)).lines().anyMatch(line -> line.startsWith(tenant + " "));
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for so many signs of life of what runs. */
    private static void awaitBeats(JdbcTemplate database, int count) {
        Set<Instant> beats = new HashSet<>();
        Deadline.until(() -> count + " signs of life, but " + beats, () -> {
            beats.addAll(database.query(
                    "select last_heartbeat from rollout_execution where picked",
                    (row, index) -> row.getTimestamp(1).toInstant()));
            return beats.size() >= count;
        });
    }
}
