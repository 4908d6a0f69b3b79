/** What {@code pgas.check=full} looks for: writes beside allocations and to freed memory, and ranks that race. */
package org.pgas4j.runtime.check;
