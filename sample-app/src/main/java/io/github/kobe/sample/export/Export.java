package io.github.kobe.sample.export;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** An export that was accepted. Its state is read off the future of its file, so the two can't differ. */
record Export(long id, String tenant, Progress progress, CompletableFuture<String> file) {

    ExportState state() {
        return switch (file.state()) {
            case RUNNING -> progress.isStarted() ? ExportState.RUNNING : ExportState.QUEUED;
            case SUCCESS -> ExportState.DONE;
            case FAILED -> ExportState.FAILED;
            case CANCELLED -> ExportState.CANCELLED;
        };
    }

    ExportStatus status() {
        String problem =
                file.state() == Future.State.FAILED ? file.exceptionNow().getMessage() : null;
        return new ExportStatus(id, tenant, state(), progress.built(), progress.of(), problem);
    }
}
