package io.github.kobe.spring.docs;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;

@Configuration(proxyBeanMethods = false)
class OperatorSecurity {

    @Bean
    @Order(0)
    SecurityFilterChain groupExecutorSecurity(HttpSecurity http) throws Exception {
        return http.securityMatcher("/actuator/groupexecutor", "/actuator/groupexecutor/**")
                .authorizeHttpRequests(requests -> requests.anyRequest().hasRole("OPERATOR"))
                .httpBasic(Customizer.withDefaults())
                .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .csrf(csrf -> csrf.disable())
                .build();
    }
}
