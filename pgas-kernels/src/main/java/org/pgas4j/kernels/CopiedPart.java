package org.pgas4j.kernels;

import java.util.Map;
import java.util.Set;

/**
 * A part of a method that is written twice: without checks of the indices that a condition before it covers, and with all of them.
 *
 * @param from      position of its first element
 * @param to        position behind its last
 * @param condition for the copy without checks, C++
 * @param unchecked positions of elements that this copy does not check
 * @param calls     positions of calls of methods whose fast form it calls
 * @param sums      positions of additions that do not wrap in this copy
 * @param noted     elements whose checks only set a flag in this copy, by position: if one fails, the other copy does it all again
 * @param exit      position where a part with such elements goes on
 */
record CopiedPart(int from, int to, String condition, Set<Integer> unchecked, Set<Integer> calls,
        Set<Integer> sums, Map<Integer, SymbolicRun.Access> noted, int exit) {
}
