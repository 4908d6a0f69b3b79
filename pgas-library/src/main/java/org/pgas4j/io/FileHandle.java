package org.pgas4j.io;

import org.pgas4j.Handle;

/**
 * A transfer of a file in flight. Complete means: of a write, the bytes are in the file; of a read, they are in memory, and shared
 * memory has them for all ranks. {@link #sync} and {@link #trySync} throw a {@link SharedFileException} if it has failed, each
 * time. Used by the rank's thread.
 */
public interface FileHandle extends Handle {

    /**
     * Number of bytes that the transfer moves ({@code upc_all_fwait_async} returns it). It is known at the start, and the bytes
     * are moved when the handle is complete: all that were asked for, but of {@code startReadUpTo} and its kin, which leave what
     * is behind the end that the file has when they start. Of shared memory the bytes of all ranks, the same on each.
     */
    long bytes();
}
