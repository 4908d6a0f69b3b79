package org.pgas4j.io;

import org.pgas4j.Buffer;

/**
 * A buffer and its place in a file, an item of the list forms of one rank.
 *
 * @param offset bytes from the file's start
 * @param buffer of the host or of the rank's device
 */
public record FilePart(long offset, Buffer buffer) {
}
