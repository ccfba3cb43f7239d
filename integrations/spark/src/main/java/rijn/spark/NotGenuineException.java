package rijn.spark;

/** A row that does not open: it was altered, or the key, the context or the aad is another one. */
public final class NotGenuineException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotGenuineException(String message) {
        super(message);
    }
}
