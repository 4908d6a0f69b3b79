/**
 * Events of ranks for Java's flight recorder. All are off unless a recording's settings turn them on: {@code
 * scripts/pgas.jfc}.
 */
package org.pgas4j.bootstrap.event;
