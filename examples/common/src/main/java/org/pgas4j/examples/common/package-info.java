/**
 * What the commands of the examples have in common: options, exit codes, lines of JSON, measured times, and runs of a command
 * inside a test. Nothing here moves data; the programs themselves are whole in each example.
 */
package org.pgas4j.examples.common;
