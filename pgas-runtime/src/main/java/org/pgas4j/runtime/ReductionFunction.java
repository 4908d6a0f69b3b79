package org.pgas4j.runtime;

import java.io.Serializable;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.collective.DeviceFunction;
import org.pgas4j.kernel.DoubleCombiner;
import org.pgas4j.kernel.LongCombiner;
import org.pgas4j.kernel.runtime.CombiningFunctions;
import org.pgas4j.kernel.runtime.JavaKernels;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.TranslatedKernel;

/** A function of the program by which collective operations combine elements of device memory, as it was translated for kernels. */
record ReductionFunction(CombiningFunctions functions, Serializable body, TranslatedKernel kernel) implements DeviceFunction {

    /** @param kernels of the rank */
    static DeviceFunction.Translator translator(Supplier<JavaKernels> kernels) {
        return function -> switch (function) {
            case LongCombiner longs -> of(kernels.get().functions(), longs, KernelForm.COMBINE_LONGS);
            case DoubleCombiner doubles -> of(kernels.get().functions(), doubles, KernelForm.COMBINE_DOUBLES);
            default -> null;
        };
    }

    private static DeviceFunction of(CombiningFunctions functions, Serializable body, KernelForm form) {
        TranslatedKernel kernel = functions.translated(body, form);
        return kernel == null ? null : new ReductionFunction(functions, body, kernel);
    }

    @Override
    public String cuda() {
        return kernel.cuda();
    }

    @Override
    public String parameters() {
        return kernel.part().parameters();
    }

    @Override
    public String opening() {
        return kernel.part().opening();
    }

    @Override
    public String call() {
        return kernel.part().call();
    }

    @Override
    public List<String> options(int threads) {
        return kernel.options(threads);
    }

    @Override
    public Object[] arguments() {
        return functions.arguments(body);
    }

    @Override
    public void failed(int block, Throwable cause) {
        functions.failed(body, block, cause);
    }

    @Override
    public void check() {
        functions.check();
    }
}
