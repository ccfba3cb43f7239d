package rijn.spark;

/** A keyset is not readable or not valid. The message says why and contains no key. */
public final class KeysetException extends RuntimeException {
    private static final long serialVersionUID = 1;

    KeysetException(String message) {
        super(message);
    }
}
