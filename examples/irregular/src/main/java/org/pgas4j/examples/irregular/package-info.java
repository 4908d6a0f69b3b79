/**
 * Programs that read and change single elements all over a global array, in no order that could be foreseen: those of bale, HPCC
 * RandomAccess, and a search of an unbalanced tree. {@link org.pgas4j.examples.irregular.IndexGather} is the shortest.
 */
package org.pgas4j.examples.irregular;
