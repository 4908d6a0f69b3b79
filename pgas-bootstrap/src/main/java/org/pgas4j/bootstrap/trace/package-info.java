/** Timelines of a job's JVMs, and how they become one: parts in files, clocks, flows between threads, JSON for Perfetto. */
package org.pgas4j.bootstrap.trace;
