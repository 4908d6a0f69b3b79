/** The conduit of jobs on several nodes: shared memory within a node, UCX between nodes. */
package org.pgas4j.fastpath.conduit.node;
