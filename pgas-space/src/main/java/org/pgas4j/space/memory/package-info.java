/** The segments of a job: made by their owners, published, and reached by the others at first use. */
package org.pgas4j.space.memory;
