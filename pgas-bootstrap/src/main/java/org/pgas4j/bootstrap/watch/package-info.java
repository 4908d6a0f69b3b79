/** Status of each rank, for ranks that wait for it and for the launcher; the watchdog. */
package org.pgas4j.bootstrap.watch;
