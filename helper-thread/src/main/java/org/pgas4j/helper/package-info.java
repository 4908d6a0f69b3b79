/**
 * Progress of messages: the ownership of a rank's port, the rank's progress, and the helper threads that serve ranks
 * which are busy.
 */
package org.pgas4j.helper;
