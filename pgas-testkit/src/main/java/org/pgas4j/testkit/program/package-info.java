/** Common parts of the programs: options, counted checks, memory with patterns, and collective operations to choose from. */
package org.pgas4j.testkit.program;
