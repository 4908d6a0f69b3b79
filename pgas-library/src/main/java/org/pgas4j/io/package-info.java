/** Collective input and output of shared arrays ({@code upc_io}), and snapshots, written with the API alone. */
package org.pgas4j.io;
