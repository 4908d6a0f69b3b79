/**
 * Command {@link org.pgas4j.testkit.Testkit}, whose subcommands hold every conduit, device, route and number of processes to the
 * same contracts. They run as ranks, inside a unit test or under a launcher.
 */
package org.pgas4j.testkit;
