package rijn.spark;

import java.io.Serializable;
import java.util.Arrays;

/**
 * The names of a call's keyset, format and context, from the configuration and the call. It contains
 * no key. Spark sends it to the executors, where a Worker reads the keyset.
 */
final class Reference implements Serializable {
    private static final long serialVersionUID = 1;

    final String name; // the keyset's name in SQL
    final String sources; // its files and variables, for Keyset.load
    final Format format;
    final byte[] context; // null: associated data are not framed
    final Library.Use use;

    Reference(String name, String sources, Format format, byte[] context, Library.Use use) {
        this.name = name;
        this.sources = sources;
        this.format = format;
        this.context = context;
        this.use = use;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Reference it
                && name.equals(it.name)
                && sources.equals(it.sources)
                && format == it.format
                && Arrays.equals(context, it.context)
                && use == it.use;
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(context);
    }

    @Override
    public String toString() {
        return name;
    }
}
