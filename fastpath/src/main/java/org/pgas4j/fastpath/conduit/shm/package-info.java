/** The shared-memory conduit: a rank maps the segments of the other ranks of its node when it first uses them. */
package org.pgas4j.fastpath.conduit.shm;
