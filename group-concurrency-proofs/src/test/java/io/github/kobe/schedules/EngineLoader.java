package io.github.kobe.schedules;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;

/**
 * Loads the library once more, with its bytecode changed on the way: every class of {@code io.github.kobe} from its own
 * class file, those of the main sources through a visitor, those of the tests as they are. So a test's class that is
 * loaded by it has package-private access to the changed engine. What it knows of anything else, the JDK, JUnit,
 * AssertJ, is what everyone knows.
 *
 * <p>The two worlds meet in a type that both know: a JDK interface.
 *
 * <pre>{@code
 * var loader = new EngineLoader(writer -> new MyVisitor(writer));
 * String found = loader.newInstance(Supplier.class, MyScenario.class).get();
 * }</pre>
 *
 * <p>A visitor may add calls and plain instructions; stack sizes are computed anew, frames aren't, so it adds no jump.
 * What it calls is found through the same loader: a static method of a test class in {@code io.github.kobe} will do.
 */
public final class EngineLoader extends ClassLoader {

    private static final String PACKAGE = "io.github.kobe.";

    /** Begins the addresses of all main classes, in a folder or in a jar. */
    private static final String MAIN = before(GroupExecutor.class.getResource("GroupExecutor.class"));

    static {
        registerAsParallelCapable();
    }

    private final UnaryOperator<ClassVisitor> transform;

    /**
     * Makes a loader with classes, and statics, of its own.
     *
     * @param transform puts a visitor before the one that writes a main class
     */
    public EngineLoader(UnaryOperator<ClassVisitor> transform) {
        super("engine", EngineLoader.class.getClassLoader());
        this.transform = transform;
    }

    /**
     * Makes an object of this loader's twin of {@code implementation} by its constructor without parameters.
     *
     * @param type what both worlds know, so not of {@code io.github.kobe}
     */
    public <T> T newInstance(Class<T> type, Class<? extends T> implementation) {
        try {
            Constructor<?> constructor = loadClass(implementation.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            return type.cast(constructor.newInstance());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("can't make a " + implementation.getName() + " in its own loader", e);
        }
    }

    /** Loads and initialises all main classes now, rather than in the middle of what is tested. */
    public void initialiseAll() {
        for (String name : mainClasses()) {
            try {
                Class.forName(name, true, this);
            } catch (ClassNotFoundException e) {
                throw new LinkageError("main class without a file", e);
            }
        }
    }

    private static String before(URL engine) {
        String address = engine.toString();
        return address.substring(0, address.length() - "io/github/kobe/GroupExecutor.class".length());
    }

    /** {@return the names of all main classes, in order} */
    public static List<String> mainClasses() {
        Path place = ChildProcess.place(GroupExecutor.class);
        try {
            if (Files.isDirectory(place)) {
                return mainClasses(place);
            }
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
                return mainClasses(jar.getPath("/"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> mainClasses(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
                    .map(file -> file.substring(0, file.length() - ".class".length()))
                    .map(file -> file.replace('/', '.').replace(File.separatorChar, '.'))
                    .sorted()
                    .toList();
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PACKAGE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : findClass(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        String file = name.replace('.', '/') + ".class";
        URL url = getResource(file);
        if (url == null) {
            throw new ClassNotFoundException(name);
        }
        try (InputStream in = url.openStream()) {
            byte[] original = in.readAllBytes();
            byte[] defined = url.toString().equals(MAIN + file) ? transformed(original) : original;
            return defineClass(name, defined, 0, defined.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] transformed(byte[] original) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        reader.accept(transform.apply(writer), 0);
        return writer.toByteArray();
    }
}
