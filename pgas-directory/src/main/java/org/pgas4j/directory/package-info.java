/** Node directory on Chronicle Map: addresses of the segments of the node's ranks. */
package org.pgas4j.directory;
