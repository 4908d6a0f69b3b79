/** The shared-memory conduit: every rank of a node maps every segment it talks to. */
package org.pgas4j.fastpath.conduit.shm;
