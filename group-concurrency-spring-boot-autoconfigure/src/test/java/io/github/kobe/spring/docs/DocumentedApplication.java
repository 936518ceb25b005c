package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.spring.GroupLimitsResolver;
import io.github.kobe.spring.testing.ApplicationServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.TaskExecutor;
import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web application that runs the code and the settings that the docs show. */
final class DocumentedApplication extends ApplicationServer {

    /** Starts it with {@code yaml} for its application.yml, in {@code folder}. */
    DocumentedApplication(String yaml, Path folder) throws IOException {
        super(
                new SpringApplicationBuilder(Beans.class),
                Stream.of(
                        "MANAGEMENT_PORT=0",
                        "spring.config.location="
                                + Files.writeString(folder.resolve("application.yml"), yaml)
                                        .toUri()));
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send("GET", path, "");
    }

    HttpResponse<String> send(String method, String path, String body) throws IOException, InterruptedException {
        return sendJson(method, at(path), body);
    }

    HttpResponse<String> sendToManagement(String method, String path, String body)
            throws IOException, InterruptedException {
        return sendJson(method, URI.create(managementAddress() + path), body);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableAsync
    @Import({
        CustomerPages.class,
        ReportStore.class,
        TenantReports.class,
        LanguageModel.class,
        OrderStore.class,
        PartnerCalls.class,
        PartnerClient.class,
        ReactivePartnerCalls.class,
        Rejections.class,
        Reports.class,
        TenantConnections.class
    })
    static class Beans {

        @Bean
        Contracts contracts() {
            return groupKey -> groupKey.startsWith("gold");
        }

        @Bean
        GroupLimitsResolver byContract(Contracts contracts) {
            GroupLimits gold = GroupLimits.unset().withMaxConcurrency(8).withWeight(4);
            return groupKey -> contracts.isGold(groupKey) ? Optional.of(gold) : Optional.empty();
        }

        @Bean(defaultCandidate = false)
        TaskExecutor exports(GroupExecutor executor) {
            return new TaskExecutorAdapter(executor.asExecutorService("exports"));
        }
    }

    @RestController
    static class Reports {

        private final TenantReports reports;

        Reports(TenantReports reports) {
            this.reports = reports;
        }

        @GetMapping("/quotes/{article}")
        String quote(@PathVariable String article) {
            return article + " for 3";
        }

        /** Nobody may ask for prices now. */
        @GetMapping("/prices")
        ResponseEntity<String> prices() {
            return ResponseEntity.status(HttpStatus.TOO_MANY_REQUESTS)
                    .header(HttpHeaders.RETRY_AFTER, "120")
                    .body("too many");
        }

        /** As a language model does that has counted much more than anybody thought. */
        @PostMapping("/completions")
        LanguageModel.Completion complete() {
            return new LanguageModel.Completion("42", 60_000);
        }

        @GetMapping("/reports/{tenantId}")
        Report report(@PathVariable String tenantId) {
            return reports.build(tenantId);
        }
    }
}
