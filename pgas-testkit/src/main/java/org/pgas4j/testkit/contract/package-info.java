/** Contracts: what every conduit, device, route and number of processes must do alike. Each reports every difference. */
package org.pgas4j.testkit.contract;
