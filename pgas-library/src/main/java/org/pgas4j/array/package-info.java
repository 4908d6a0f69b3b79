/** Global arrays of several dimensions, written with the API alone. */
package org.pgas4j.array;
