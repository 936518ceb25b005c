package io.github.kobe.sample.export;

import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
class ExportController {

    private static final MediaType CSV = new MediaType("text", "csv");

    private final ExportService exports;

    ExportController(ExportService exports) {
        this.exports = exports;
    }

    @PostMapping("/tenants/{tenant}/exports")
    ResponseEntity<ExportStatus> start(@PathVariable String tenant) {
        Export export = exports.start(tenant);
        return ResponseEntity.accepted()
                .location(URI.create("/exports/" + export.id()))
                .body(export.status());
    }

    @GetMapping("/exports/{id}")
    ExportStatus status(@PathVariable long id) {
        return find(id).status();
    }

    @GetMapping("/exports/{id}/file")
    ResponseEntity<String> file(@PathVariable long id) {
        Export export = find(id);
        if (export.state() != ExportState.DONE) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "Export " + id + " is " + export.state());
        }
        return ResponseEntity.ok().contentType(CSV).body(export.file().resultNow());
    }

    @DeleteMapping("/exports/{id}")
    ExportStatus cancel(@PathVariable long id) {
        Export export = find(id);
        export.file().cancel(true);
        return export.status();
    }

    private Export find(long id) {
        return exports.find(id)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no export " + id));
    }
}
