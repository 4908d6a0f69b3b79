/** Where the segments of the node's ranks are. */
package org.pgas4j.directory;
