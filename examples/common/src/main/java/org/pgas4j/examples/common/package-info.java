/**
 * Shared by the commands of the examples: options, exit codes, results as JSON or as a table, repeated and timed runs, and runs of
 * a command inside a test. Nothing here moves data; the programs themselves are whole in each example.
 */
package org.pgas4j.examples.common;
