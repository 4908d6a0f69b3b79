/** Nodes of a job: which rank is on which, and the optional directory of segments that the JVMs of one node share. Any thread. */
package org.pgas4j.bootstrap.node;
