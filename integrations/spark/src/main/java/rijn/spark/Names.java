package rijn.spark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of keysets, files and variables in messages. Users may pass a key instead of a name by
 * mistake, so names that look like keys are not shown. rijn.files.may_be_key has the same rules.
 */
final class Names {
    static final String UNSHOWN = "(a name that may be a key)";

    private static final Pattern MARKS = Pattern.compile("[\"{}\\x00-\\x1f]"); // JSON, or several lines
    /** 16 bytes or more in Base64. They have 22 characters; a '/' in a path may cut off two. */
    private static final Pattern RUN = Pattern.compile("[A-Za-z0-9+/=_-]{20,}");

    private static final Pattern HEX = Pattern.compile("[0-9A-Fa-f]{32,}");
    private static final Pattern CHANGE =
            Pattern.compile("(?=[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z])");

    private Names() {}

    /**
     * Returns whether a text may contain a key: JSON, or at least 16 bytes in hexadecimal or Base64.
     * Base64 changes between letters and digits, and between upper and lower case, more often than
     * names do.
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

    /** Returns a file's path, or UNSHOWN if there is no such file and the name may be a key. */
    static String shown(Path path) {
        if (Files.exists(path)) {
            return path.toString();
        }
        Path folder = path.getParent();
        boolean there = folder != null && Files.isDirectory(folder);
        return mayBeKey((there ? path.getFileName() : path).toString()) ? UNSHOWN : path.toString();
    }
}
