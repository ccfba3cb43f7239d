package rijn.spark;

/** A keyset that is not to be had or is none. The message says why, and nothing of a key. */
public final class KeysetException extends RuntimeException {
    private static final long serialVersionUID = 1;

    KeysetException(String message) {
        super(message);
    }
}
