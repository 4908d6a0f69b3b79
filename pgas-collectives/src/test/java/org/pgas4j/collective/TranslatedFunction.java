package org.pgas4j.collective;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;
import org.pgas4j.kernels.TranslatedKernel;

/** A function of a test as C++ in kernels. */
record TranslatedFunction(Serializable body, TranslatedKernel kernel) implements DeviceFunction {

    static TranslatedFunction of(Serializable body, KernelForm form) {
        return new TranslatedFunction(body, KernelTranslator.translate(body, form));
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
        return Stream.concat(Stream.of(0), Arrays.stream(kernel.captured(body))).toArray(); // behind a number of the program
    }

    @Override
    public void failed(int block, Throwable cause) {
        throw new AssertionError(cause);
    }

    @Override
    public void check() {
    }
}
