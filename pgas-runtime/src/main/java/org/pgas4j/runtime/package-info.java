/** Puts a job together: ranks as threads, segments, routes, transfer, synchronisation, collectives. */
package org.pgas4j.runtime;
