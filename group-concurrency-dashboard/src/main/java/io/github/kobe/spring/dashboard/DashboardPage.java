package io.github.kobe.spring.dashboard;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.json.JsonWriter;

/**
 * The page: files of the jar, and one that says where the endpoints are. Whether these are exposed is checked once
 * everything else in the application exists.
 */
final class DashboardPage implements SmartInitializingSingleton {

    /** All files of the folder, by the names that they are asked for. */
    static final List<String> FILES = List.of(
            "api.js",
            "charts.js",
            "dom.js",
            "group.js",
            "groups.js",
            "history.js",
            "icon.svg",
            "index.html",
            "main.js",
            "page.css",
            "question.js",
            "rollouts.js",
            "scopes.js",
            "text.en.json",
            "text.zh.json",
            "texts.js",
            "uPlot.LICENSE",
            "uPlot.iife.min.js",
            "uPlot.min.css");

    private static final String SETTINGS = "settings.json";

    private final Map<String, PageFile> files = new LinkedHashMap<>();
    private final DashboardPath path;
    private final Supplier<ExposedEndpoints> endpoints;

    DashboardPage(DashboardPath path, Supplier<ExposedEndpoints> endpoints) {
        this.path = path;
        this.endpoints = endpoints;
        FILES.forEach(name -> files.put(name, PageFile.inJar(name)));
    }

    @Override
    public void afterSingletonsInstantiated() {
        files.put(
                SETTINGS,
                PageFile.of(
                        SETTINGS,
                        JsonWriter.standard().writeToString(endpoints.get().settings())));
    }

    DashboardPath path() {
        return path;
    }

    /** {@return each path that is answered, below the context path} */
    List<String> paths() {
        List<String> paths = new ArrayList<>(List.of(path.value(), path.value() + "/", path.value() + "/" + SETTINGS));
        FILES.forEach(name -> paths.add(path.value() + "/" + name));
        return paths;
    }

    /**
     * Looks for a file.
     *
     * @param below what follows the page's path in a request; empty: there is no slash at its end
     * @return what to answer; {@code null}: there is no such file
     */
    @Nullable
    PageFile find(String below) {
        return files.get(below.equals("/") ? "index.html" : below.substring(Math.min(1, below.length())));
    }

    /** {@return where a request goes that has left out the slash at the end, without which addresses mean others} */
    String withSlash() {
        return path.value().substring(path.value().lastIndexOf('/') + 1) + "/";
    }
}
