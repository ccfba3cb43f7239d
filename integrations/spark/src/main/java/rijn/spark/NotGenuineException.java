package rijn.spark;

/** A row does not open: it was altered, or the key, context, aad or format is another one. */
public final class NotGenuineException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotGenuineException(String message) {
        super(message);
    }
}
