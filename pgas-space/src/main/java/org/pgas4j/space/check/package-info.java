/** Checks of {@code pgas.check=full}: writes beside allocations and to freed memory, and ranks that race. */
package org.pgas4j.space.check;
