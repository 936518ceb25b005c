package io.github.kobe.spring.test.docs;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application whose tests the docs show. */
@SpringBootApplication
class ReportsApplication {}
