package io.github.kobe.spring.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

/** The test's class path once more, without some of its jars, and with a list of what was loaded of ours. */
public final class SeparateClassPath implements AutoCloseable {

    private static final String OURS = "io.github.kobe.spring.";

    private final Loader loader;

    /** A class path without the jars whose names begin so. */
    public SeparateClassPath(String... missing) {
        URL[] path = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Arrays.stream(missing).noneMatch(nameOf(Path.of(entry))::startsWith))
                .map(SeparateClassPath::url)
                .toArray(URL[]::new);
        loader = new Loader(path);
    }

    /** {@return the jar's name; of a module of this build that isn't packed yet, what the jar's would begin with} */
    private static String nameOf(Path entry) {
        String name = entry.getFileName().toString();
        return name.equals("classes") ? entry.getName(entry.getNameCount() - 3).toString() : name;
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Calls a class's static method of texts as it is here, with this as the thread's class loader. */
    public Object call(Class<?> type, String method, String... arguments) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            Method found = loader.loadClass(type.getName()).getDeclaredMethod(method, String[].class);
            found.setAccessible(true);
            return found.invoke(null, (Object) arguments);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** {@return the names of the classes of ours that were loaded here} */
    public Set<String> loaded() {
        return new TreeSet<>(loader.loaded);
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }

    private static final class Loader extends URLClassLoader {

        private final Set<String> loaded = new ConcurrentSkipListSet<>();

        Loader(URL[] path) {
            super(path, ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            Class<?> found = super.findClass(name);
            if (name.startsWith(OURS)) {
                loaded.add(name);
            }
            return found;
        }
    }
}
