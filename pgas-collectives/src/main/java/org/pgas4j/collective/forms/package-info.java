/** Sizes at which collective operations on streams change their form: tables, and the files that keep measured ones. */
package org.pgas4j.collective.forms;
