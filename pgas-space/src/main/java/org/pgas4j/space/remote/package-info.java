/** Calls of functions on other ranks: rings of requests and slots of results in the ranks' host memory. */
package org.pgas4j.space.remote;
