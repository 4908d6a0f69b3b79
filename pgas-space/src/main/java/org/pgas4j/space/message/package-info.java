/** Message protocols in the runtime: how pairs find each other, which protocol carries what, and the ranks' ports. */
package org.pgas4j.space.message;
