package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.GroupConcurrencyResolver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.TaskExecutor;
import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A web application that runs the code and the settings that the docs show. */
final class DocumentedApplication implements AutoCloseable {

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;

    /** Starts it with {@code yaml} for its application.yml, in {@code folder}. */
    DocumentedApplication(String yaml, Path folder) throws IOException {
        Path settings = Files.writeString(folder.resolve("application.yml"), yaml);
        context = new SpringApplicationBuilder(Beans.class)
                .run("--server.port=0", "--MANAGEMENT_PORT=0", "--spring.config.location=" + settings.toUri());
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send("GET", path, null);
    }

    HttpResponse<String> send(String method, String path, String body) throws IOException, InterruptedException {
        return send("local.server.port", method, path, body);
    }

    HttpResponse<String> sendToManagement(String method, String path, String body)
            throws IOException, InterruptedException {
        return send("local.management.port", method, path, body);
    }

    URI address() {
        return URI.create("http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    private HttpResponse<String> send(String portName, String method, String path, String body)
            throws IOException, InterruptedException {
        String port = context.getEnvironment().getRequiredProperty(portName);
        HttpRequest.BodyPublisher publisher =
                body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        return client.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .header("Content-Type", "application/json")
                        .method(method, publisher)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        client.close();
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableAsync
    @Import({
        CustomerPages.class,
        ReportStore.class,
        TenantReports.class,
        OrderStore.class,
        PartnerCalls.class,
        PartnerClient.class,
        Rejections.class,
        Reports.class
    })
    static class Beans {

        @Bean
        Contracts contracts() {
            return groupKey -> groupKey.startsWith("gold");
        }

        @Bean
        GroupConcurrencyResolver byContract(Contracts contracts) {
            return groupKey -> contracts.isGold(groupKey) ? 8 : 2;
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

        @GetMapping("/reports/{tenantId}")
        Report report(@PathVariable String tenantId) {
            return reports.build(tenantId);
        }
    }
}
