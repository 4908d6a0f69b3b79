/** Checks before a matrix product and the activation behind it, whichever library makes the product. Any thread. */
package org.pgas4j.device.product;
