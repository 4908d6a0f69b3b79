package org.pgas4j.kernel.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.Buffer;
import org.pgas4j.CudaCode;
import org.pgas4j.GridKernel;
import org.pgas4j.GridProgram;
import org.pgas4j.KernelMemory;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;
import org.pgas4j.kernels.TranslatedKernel;

/**
 * Makes block programs of a rank's {@link GridKernel}s. All are translated first, on the host device as well, so that what a GPU would
 * refuse is refused everywhere. Used by the rank's thread.
 */
public final class JavaBlocks {

    /**
     * A program with its arguments.
     *
     * @param name        class and method of the lambda expression, for messages
     * @param used        captured buffers, and own parts of captured shared arrays
     * @param sharedBytes memory of a block that it needs beside what the blocks have
     */
    public record Launch(String name, GridProgram program, Object[] arguments, List<Buffer> used, int sharedBytes) {
    }

    /** A program for GPUs. */
    private record Known(TranslatedKernel translated, int number, Map<Integer, GridProgram> byThreads) {
    }

    private final KernelReach reach;
    private final boolean isHost;
    private final Map<TranslatedKernel, Known> known = new HashMap<>();
    private final List<TranslatedKernel> kernels = new ArrayList<>();

    JavaBlocks(KernelReach reach, boolean isHost) {
        this.reach = reach;
        this.isHost = isHost;
    }

    /**
     * The program for a launch of {@code body} on blocks of {@code threads} threads.
     *
     * @throws org.pgas4j.KernelRefusedException if it has what block programs have not
     */
    public Launch of(GridKernel body, int threads) {
        TranslatedKernel translated = KernelTranslator.translate(body, KernelForm.BLOCKS);
        Object[] captured = translated.captured(body);
        List<Object> arguments = new ArrayList<>();
        List<Buffer> used = new ArrayList<>();
        KernelArguments.requireDevice(translated.origin(), captured);
        KernelArguments.append(translated.origin(), captured, null, reach, arguments, used);
        return isHost ? onHost(translated, body, used) : onDevice(translated, threads, arguments, used);
    }

    private Launch onDevice(TranslatedKernel translated, int threads, List<Object> captured, List<Buffer> used) {
        Known program = known.computeIfAbsent(translated, _ -> {
            kernels.add(translated);
            return new Known(translated, kernels.size() - 1, new HashMap<>());
        });
        List<Object> arguments = new ArrayList<>(List.of(program.number, reach.segments().table()));
        arguments.addAll(captured);
        GridProgram code = program.byThreads.computeIfAbsent(threads, _ -> new GridProgram(translated.name(), null,
                CudaCode.source(translated.cuda()).withOptions(translated.blockOptions(threads))));
        return new Launch(translated.origin(), code, arguments.toArray(), used, Math.toIntExact(translated.blockBytes()));
    }

    private Launch onHost(TranslatedKernel translated, GridKernel body, List<Buffer> used) {
        Object[] values = translated.values(body);
        List<Object> arguments = new ArrayList<>(reach.segments().buffers());
        int first = arguments.size();
        arguments.addAll(KernelArguments.buffersOf(values));
        RankSegments segments = reach.segments();
        GridProgram program = new GridProgram(translated.origin(), (String) null, (self, args) -> {
            KernelMemory memory = HostKernels.memory(args, segments);
            GridKernel.class.cast(translated.with(HostKernels.views(values, memory, args, first))).run(self);
        });
        return new Launch(translated.origin(), program, arguments.toArray(), used, 0);
    }

    /**
     * The exception that a fault of a block would be in Java.
     *
     * @param program number that the launch was given
     */
    public RuntimeException fault(int program, int kind, int site, long first, long second) {
        return kernels.get(program).fault(kind, site, first, second);
    }
}
