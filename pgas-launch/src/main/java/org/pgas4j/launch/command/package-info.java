/** Shared by the commands of pgas4j, its examples and its studies. Any thread. */
package org.pgas4j.launch.command;
