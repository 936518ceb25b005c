package io.github.kobe.spring.docs;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;

@Configuration(proxyBeanMethods = false)
class LivePageSecurity {

    @Bean
    @Order(0)
    SecurityFilterChain livePageChain(HttpSecurity http) throws Exception {
        CsrfTokenRequestAttributeHandler token = new CsrfTokenRequestAttributeHandler();
        token.setCsrfRequestAttributeName(null); // the cookie comes with the first answer, not when it is asked for
        return http.securityMatcher("/group-concurrency/**", "/actuator/**")
                .authorizeHttpRequests(requests -> requests.anyRequest().hasRole("OPERATOR"))
                .httpBasic(login -> login.securityContextRepository(new HttpSessionSecurityContextRepository()))
                .csrf(csrf -> csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse())
                        .csrfTokenRequestHandler(token))
                .build();
    }
}
