package io.github.kobe.spring.docs;

import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** Who may change limits in the tests of what the howto on security shows: ops, and not user. */
final class Operators {

    private Operators() {}

    static UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("ops")
                        .password("{noop}secret")
                        .roles("OPERATOR")
                        .build(),
                User.withUsername("user").password("{noop}secret").roles("USER").build());
    }
}
