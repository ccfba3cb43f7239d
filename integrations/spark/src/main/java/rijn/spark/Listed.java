package rijn.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads lists that Rijn's languages share, from the jar: lines NAME(CELL, ...) of C include files. */
final class Listed {
    private static final Pattern CELL = Pattern.compile("(?:\"[^\"]*\"|\\([^()]*\\)|[^,\"()])+");

    private Listed() {}

    /** Returns the cells of each line of a macro. Strings have no quotation marks. */
    static List<List<String>> lines(String file, String macro) {
        String text;
        try (InputStream in = Listed.class.getResourceAsStream(file)) {
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        List<List<String>> found = new ArrayList<>();
        Pattern line = Pattern.compile("^" + macro + "\\((.*)\\)$", Pattern.MULTILINE);
        for (Matcher row = line.matcher(text); row.find(); ) {
            List<String> cells = new ArrayList<>();
            for (Matcher cell = CELL.matcher(row.group(1)); cell.find(); ) {
                cells.add(cell.group().strip().replace("\"", ""));
            }
            found.add(cells);
        }
        return found;
    }

    /** Returns the lines by one of their cells. These must be an enum's constants, in order. */
    static Map<String, List<String>> byConstant(
            List<List<String>> lines, int cell, List<String> constants) {
        Map<String, List<String>> found = new LinkedHashMap<>();
        for (List<String> line : lines) {
            found.put(line.get(cell), line);
        }
        if (!List.copyOf(found.keySet()).equals(constants)) {
            throw new IllegalStateException("the list has " + found.keySet() + ", not " + constants);
        }
        return found;
    }

    /** Returns the arguments of a macro's calls, for example 16 and 24 for "KEY(16) | KEY(24)". */
    static List<String> arguments(String macro, String text) {
        List<String> found = new ArrayList<>();
        for (Matcher each = Pattern.compile(macro + "\\((\\w+)\\)").matcher(text); each.find(); ) {
            found.add(each.group(1));
        }
        return found;
    }
}
