/** Long runs and provoked failures: soak, scale, back pressure, killed processes, a bad network, and their leftovers. */
package org.pgas4j.testkit.campaign;
