/** What goes with a matrix product whichever library makes it: the checks before, the activation behind. Any thread. */
package org.pgas4j.device.product;
