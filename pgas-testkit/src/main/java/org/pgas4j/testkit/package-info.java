/**
 * Contract programs: what every conduit, device, route and number of processes must do alike. They run as ranks, inside a
 * unit test or under a launcher, and report every difference.
 */
package org.pgas4j.testkit;
