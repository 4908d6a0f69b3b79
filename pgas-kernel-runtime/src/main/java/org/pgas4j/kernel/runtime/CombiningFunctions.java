package org.pgas4j.kernel.runtime;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.device.Accelerator;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;
import org.pgas4j.kernels.TranslatedKernel;

/**
 * Functions of the program by which kernels of collective operations combine elements. They are translated on the host device as
 * well, so that what a GPU would refuse is refused everywhere. Used by the rank's thread, but for what is said.
 */
public final class CombiningFunctions {

    private static final Function REFUSED = new Function(null, 0);

    private final Accelerator accelerator;
    private final KernelFaults faults;
    private final KernelExplanations explanations;
    private final boolean isHost;
    private final Map<Class<?>, Function> known = new HashMap<>();

    CombiningFunctions(Accelerator accelerator, KernelFaults faults, KernelExplanations explanations) {
        this.accelerator = accelerator;
        this.faults = faults;
        this.explanations = explanations;
        this.isHost = accelerator.backend().equals("host");
    }

    /**
     * A translated function.
     *
     * @param kernel       null if it was refused
     * @param faultAddress of the record of its faults; 0 on the host device
     */
    private record Function(TranslatedKernel kernel, long faultAddress) {
    }

    /**
     * The function of a lambda expression, or of another of its place; null if it cannot be translated, which is explained once.
     *
     * @param form {@link KernelForm#COMBINE_DOUBLES} or {@link KernelForm#COMBINE_LONGS}
     */
    public TranslatedKernel translated(Serializable body, KernelForm form) {
        return known.computeIfAbsent(body.getClass(), _ -> translate(body, form)).kernel();
    }

    private Function translate(Serializable body, KernelForm form) {
        try {
            TranslatedKernel kernel = KernelTranslator.translate(body, form);
            Object[] captured = kernel.captured(body);
            explanations.combining(kernel, accelerator.backend() + ":" + accelerator.ordinal(), captured);
            return new Function(kernel, isHost ? 0 : faults.address(faults.add(kernel)));
        } catch (KernelRefusedException e) {
            explanations.combinesOnHost(body, e.getMessage());
            return REFUSED;
        }
    }

    /** Arguments of a kernel for a function that was translated, behind its own. */
    public Object[] arguments(Serializable body) {
        Function function = known.get(body.getClass());
        Object[] captured = function.kernel().captured(body);
        Object[] arguments = new Object[captured.length + 1];
        arguments[0] = function.faultAddress();
        System.arraycopy(captured, 0, arguments, 1, captured.length);
        return arguments;
    }

    /** Keeps what the function has thrown in a kernel on the host device; any thread. */
    public void failed(Serializable body, int block, Throwable cause) {
        faults.add(known.get(body.getClass()).kernel().origin(), block, cause);
    }

    /**
     * Reports what a function has thrown in kernels that are complete.
     *
     * @throws org.pgas4j.KernelException if one has
     */
    public void check() {
        faults.check();
    }
}
