/** Counters of all ranks of a job: how they are collected, summarised and judged. */
package org.pgas4j.bootstrap.stats;
