/** What each rank does, for those who wait for it: phases, the watchdog, and points where tests make it fail. */
package org.pgas4j.bootstrap.watch;
