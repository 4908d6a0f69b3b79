/**
 * Who makes progress when: the word that says who owns a rank's endpoint, the rank's side of it, and the helper threads that
 * serve ranks which are busy.
 */
package org.pgas4j.helper;
