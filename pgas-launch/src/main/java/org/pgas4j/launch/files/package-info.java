/**
 * Files and processes that a job owns: owner-only directories in memory, and the identity of the processes that made them. Any
 * thread.
 */
package org.pgas4j.launch.files;
