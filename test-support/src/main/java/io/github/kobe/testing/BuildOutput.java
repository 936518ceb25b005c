package io.github.kobe.testing;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What the build itself prints, past Surefire, which puts what tests print into files. */
public final class BuildOutput {

    private BuildOutput() {}

    public static void tell(String line) {
        PrintStream terminal = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        terminal.println(line);
    }
}
