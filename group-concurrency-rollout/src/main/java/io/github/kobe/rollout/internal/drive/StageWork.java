package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.Step;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.MDC;

/** Runs the conditions and the steps of stages: code of the application, in its time limit, until the drive has to end. */
final class StageWork {

    private final Drive drive;
    private final TaskSignals.Signal signal;

    StageWork(Drive drive, TaskSignals.Signal signal) {
        this.drive = drive;
        this.signal = signal;
    }

    /** {@return whether there was nothing to do} */
    boolean run(Stage stage, TaskContext context, List<Step> steps, boolean skippable) throws Exception {
        MDC.put("stageName", stage.name());
        try {
            AtomicBoolean idle = new AtomicBoolean();
            UserCode.Work<Exception> work = () -> {
                idle.set(skippable && stage.canSkip(context));
                if (!idle.get()) {
                    runAll(steps, context);
                }
            };
            if (stage.timeout().isPresent()) {
                signal.during(() ->
                        TimeLimit.run("stage " + stage.name(), stage.timeout().get(), work));
            } else {
                signal.during(work);
            }
            return idle.get();
        } finally {
            MDC.remove("stageName");
        }
    }

    private void runAll(List<Step> steps, TaskContext context) throws Exception {
        for (int index = 0; index < steps.size(); index++) {
            if (drive.isCut() || signal.isCut()) {
                throw new InterruptedException("the step before it was to end");
            }
            context.enter(index + 1);
            steps.get(index).execute(context);
        }
    }
}
