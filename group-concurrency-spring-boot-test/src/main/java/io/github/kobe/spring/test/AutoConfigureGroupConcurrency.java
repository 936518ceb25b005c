package io.github.kobe.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Adds the limits to a test slice, which has none otherwise: the executor, {@code @GroupConcurrent} on methods,
 * {@code Scopes}, the properties and the responses to rejected requests. Beans have the same kind of proxy as in the
 * application. Endpoints, meters and observations are not included. Without a {@code ClusterStore} bean, limits over all
 * instances are shared by a store in memory.
 *
 * <pre>{@code
 * @WebMvcTest(ReportController.class)
 * @Import(ReportService.class)
 * @AutoConfigureGroupConcurrency
 * class ReportControllerTests { … }
 * }</pre>
 *
 * <p>A test with {@code @SpringBootTest} needs no such annotation.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureGroupConcurrency {}
