/** How the JVMs of a job find each other, exchange addresses, call each other and fail together. */
package org.pgas4j.bootstrap;
