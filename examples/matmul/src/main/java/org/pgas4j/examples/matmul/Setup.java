package org.pgas4j.examples.matmul;

import org.pgas4j.Rank;

/**
 * What is measured, as the job really has it.
 *
 * @param n          rows and columns
 * @param a          name of A
 * @param b          name of B
 * @param described  what A is
 * @param ranks      number of ranks
 * @param processes  number of JVMs
 * @param device     cuda or host
 * @param deviceName what rank 0's device calls itself
 * @param devices    number of devices
 * @param dtype      f32 or f64
 * @param style      runtime or user-level
 */
record Setup(int n, String a, String b, String described, int ranks, int processes, String device, String deviceName,
             int devices, String dtype, String style) {

    static Setup of(Rank rank, Inputs inputs, MatmulOptions options, int devices) {
        return new Setup(inputs.n(), inputs.aName(), inputs.bName(), inputs.a().description(), rank.ranks(),
                rank.processes(), rank.device().backend().toString(), rank.device().name(), devices, options.dtype().toString(),
                options.style().toString());
    }
}
