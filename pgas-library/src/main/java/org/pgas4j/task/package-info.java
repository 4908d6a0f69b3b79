/** A pool of tasks of all ranks with work stealing, written with the API alone. */
package org.pgas4j.task;
