package io.github.kobe.spring.actuate;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** The name of this instance of the application, by which an operator tells it from the others. */
final class InstanceName {

    private InstanceName() {}

    /** {@return the host's name, in Kubernetes the pod's, and the process id} */
    static String own() {
        return Optional.ofNullable(System.getenv("HOSTNAME"))
                        .filter(name -> !name.isBlank())
                        .orElseGet(InstanceName::host)
                + "/"
                + ProcessHandle.current().pid();
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unnamed) {
            return "localhost";
        }
    }
}
