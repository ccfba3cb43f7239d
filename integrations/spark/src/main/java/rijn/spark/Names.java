package rijn.spark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names in messages: of a keyset, a file or a variable. Somebody may have given a key in a name's
 * place, and no message repeats it. rijn.files.may_be_key is the same in Python.
 */
final class Names {
    static final String UNSHOWN = "(a name that may be a key)";

    private static final Pattern MARKS = Pattern.compile("[\"{}\\x00-\\x1f]"); // JSON, and lines
    /** 16 bytes in Base64, or more: a path may lose two. */
    private static final Pattern RUN = Pattern.compile("[A-Za-z0-9+/=_-]{20,}");

    private static final Pattern HEX = Pattern.compile("[0-9A-Fa-f]{32,}");
    private static final Pattern CHANGE =
            Pattern.compile("(?=[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z])");

    private Names() {}

    /**
     * Whether a text may have a key in it: JSON, or 16 bytes or more in hexadecimal digits or in
     * Base64, whose letters and digits change more often than those of a name.
     */
    static boolean mayBeKey(String text) {
        if (MARKS.matcher(text).find()) {
            return true;
        }
        String joined = text.replaceAll("[ ,:]", "");
        if (HEX.matcher(joined).find()) {
            return true;
        }
        Matcher run = RUN.matcher(joined);
        while (run.find()) {
            if (CHANGE.matcher(run.group()).results().count() > 2) {
                return true;
            }
        }
        return false;
    }

    static String shown(String name) {
        return mayBeKey(name) ? UNSHOWN : name;
    }

    /** A file's path: hidden if there is no such file, and its name may be a key. */
    static String shown(Path path) {
        if (Files.exists(path)) {
            return path.toString();
        }
        Path folder = path.getParent();
        boolean there = folder != null && Files.isDirectory(folder);
        return mayBeKey((there ? path.getFileName() : path).toString()) ? UNSHOWN : path.toString();
    }
}
