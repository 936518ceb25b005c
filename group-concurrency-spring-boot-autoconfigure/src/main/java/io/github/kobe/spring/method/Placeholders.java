package io.github.kobe.spring.method;

import io.github.kobe.spring.internal.settings.PrintableText;
import java.lang.reflect.AnnotatedElement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/** The placeholders in an annotation's texts: fills them, and says where their values are written. */
final class Placeholders {

    private static final Pattern NAME = Pattern.compile("\\$\\{([^:{}]+)");

    /** Spring Boot's view of all the others, which would be found first and knows no line. */
    private static final String VIEW_OF_ALL = "configurationProperties";

    private final Environment environment;

    Placeholders(Environment environment) {
        this.environment = environment;
    }

    String fill(String text, AnnotatedElement element, String attribute) {
        if (!text.contains("${")) {
            return text;
        }
        try {
            return environment.resolveRequiredPlaceholders(text);
        } catch (IllegalArgumentException failure) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "has the " + attribute + " \"" + text + "\", whose placeholder can't be resolved: "
                            + failure.getMessage(),
                    "Set the property, or give the placeholder a default.",
                    failure);
        }
    }

    /** {@return the text as it is in the annotation, and what it was filled with from where, if it was} */
    String tell(String text, String filled) {
        if (text.equals(filled)) {
            return "\"" + text + "\"";
        }
        StringBuilder told = new StringBuilder("\"" + text + "\", filled as \"" + filled + "\"");
        Matcher names = NAME.matcher(text);
        while (names.find()) {
            told.append(originOf(names.group(1).strip()));
        }
        return told.toString();
    }

    private String originOf(String name) {
        if (environment instanceof ConfigurableEnvironment configurable) {
            for (PropertySource<?> source : configurable.getPropertySources()) {
                if (!source.getName().equals(VIEW_OF_ALL) && source.containsProperty(name)) {
                    return " from " + PrintableText.inOneLine(String.valueOf(PropertySourceOrigin.get(source, name)));
                }
            }
        }
        return "";
    }
}
