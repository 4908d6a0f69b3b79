package org.pgas4j.kernels;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.kernel.DoubleCombiner;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.DoubleKernel2;
import org.pgas4j.kernel.DoubleKernel3;
import org.pgas4j.kernel.FastMath;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.IndexKernel2;
import org.pgas4j.kernel.IndexKernel3;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.LongCombiner;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernel.LongKernel2;
import org.pgas4j.kernel.LongKernel3;
import org.pgas4j.kernel.ThreadKernel;

/**
 * Finds the kernels of classes and translates them, without running the program: its lambda expressions and method references of
 * the kernel interfaces, and static methods whose last parameter is a {@link KernelThread} or {@link GridRank}. Used once, by one
 * thread.
 */
public final class KernelScan {

    private static final Map<String, KernelForm> FORMS = Map.ofEntries(
            form(IndexKernel.class, KernelForm.LOOP), form(LongKernel.class, KernelForm.REDUCE_LONGS),
            form(DoubleKernel.class, KernelForm.REDUCE_DOUBLES), form(ThreadKernel.class, KernelForm.GRID),
            form(GridKernel.class, KernelForm.BLOCKS),
            form(IndexKernel2.class, KernelForm.SPACE_2), form(IndexKernel3.class, KernelForm.SPACE_3),
            form(DoubleKernel2.class, KernelForm.SPACE_DOUBLES_2), form(DoubleKernel3.class, KernelForm.SPACE_DOUBLES_3),
            form(LongKernel2.class, KernelForm.SPACE_LONGS_2), form(LongKernel3.class, KernelForm.SPACE_LONGS_3),
            form(DoubleCombiner.class, KernelForm.SCAN_DOUBLES_BY), form(LongCombiner.class, KernelForm.SCAN_LONGS_BY));

    /** Forms by the last parameter of a static method. */
    private static final Map<String, KernelForm> OF_METHODS = Map.of(descriptor(KernelThread.class), KernelForm.GRID,
            descriptor(GridRank.class), KernelForm.BLOCKS);

    private final ClassFiles files;
    private final Set<String> seen = new HashSet<>();
    private final List<ScannedKernel> kernels = new ArrayList<>();

    private KernelScan(ClassLoader loader) {
        this.files = new ClassFiles(loader);
    }

    private static Map.Entry<String, KernelForm> form(Class<?> type, KernelForm form) {
        return Map.entry(descriptor(type), form);
    }

    private static String descriptor(Class<?> type) {
        return type.descriptorString();
    }

    /**
     * The kernels of a class and of those that are nested in it, in the order of its methods; refused ones are among them.
     *
     * @throws KernelRefusedException if a class file cannot be read
     */
    public static List<ScannedKernel> of(String className, ClassLoader loader) {
        KernelScan scan = new KernelScan(loader);
        ClassModel model = scan.files.model(className.replace('.', '/'));
        scan.scan(model);
        model.findAttribute(Attributes.nestMembers()).ifPresent(nest -> nest.nestMembers()
                .forEach(member -> scan.scan(scan.files.model(member.asInternalName()))));
        return List.copyOf(scan.kernels);
    }

    private void scan(ClassModel model) {
        for (MethodModel method : model.methods()) {
            method.code().ifPresent(code -> code.forEach(element -> {
                if (element instanceof InvokeDynamicInstruction dynamic) {
                    lambda(dynamic);
                }
            }));
        }
        for (MethodModel method : model.methods()) {
            if (method.flags().has(AccessFlag.STATIC) && !method.flags().has(AccessFlag.SYNTHETIC) && isThreadKernel(method)) {
                List<ClassDesc> parameters = method.methodTypeSymbol().parameterList();
                add(model.thisClass().asInternalName(), method.methodName().stringValue(), method.methodType().stringValue(),
                        parameters.size() - 1, OF_METHODS.get(parameters.getLast().descriptorString()), false);
            }
        }
    }

    /** True for a method that could be a kernel: other parameters are such that a lambda expression may capture them. */
    private boolean isThreadKernel(MethodModel method) {
        List<ClassDesc> parameters = method.methodTypeSymbol().parameterList();
        if (parameters.isEmpty() || !method.methodTypeSymbol().returnType().descriptorString().equals("V")
                || !OF_METHODS.containsKey(parameters.getLast().descriptorString())) {
            return false;
        }
        for (ClassDesc type : parameters.subList(0, parameters.size() - 1)) {
            KnownType known = type.isPrimitive() ? null : KnownType.of(files.type(type));
            if (!type.isPrimitive() && (known == null || !known.isCaptured())) {
                return false;
            }
        }
        return true;
    }

    private void lambda(InvokeDynamicInstruction dynamic) {
        KernelForm form = FORMS.get(dynamic.typeSymbol().returnType().descriptorString());
        List<ConstantDesc> arguments = dynamic.bootstrapArgs();
        if (form == null || arguments.size() < 2 || !(arguments.get(1) instanceof DirectMethodHandleDesc body)) {
            return;
        }
        String type = body.owner().descriptorString();
        String owner = type.substring(1, type.length() - 1);
        if (body.kind() == DirectMethodHandleDesc.Kind.STATIC || body.kind() == DirectMethodHandleDesc.Kind.INTERFACE_STATIC) {
            add(owner, body.methodName(), body.lookupDescriptor(), dynamic.typeSymbol().parameterCount(), form,
                    isFast(arguments));
        } else if (seen.add(owner + body.methodName() + body.lookupDescriptor() + form)) {
            found(owner, body.methodName(), body.lookupDescriptor(), form, false, null,
                    KernelLambda.usesObject(KernelLambda.name(owner, body.methodName())));
        }
    }

    /** True if an argument of the lambda's bootstrap method, which lists its further interfaces, is the mark. */
    private static boolean isFast(List<ConstantDesc> arguments) {
        return arguments.stream().anyMatch(of -> of instanceof ClassDesc type && type.descriptorString()
                .equals(descriptor(FastMath.class)));
    }

    private void add(String owner, String method, String descriptor, int captured, KernelForm form, boolean isFast) {
        if (!seen.add(owner + method + descriptor + form)) {
            return;
        }
        try {
            KernelTranslator.Source source = KernelTranslator.source(files, owner, method, descriptor, captured, form);
            found(owner, method, descriptor, form, isFast, source, null);
        } catch (KernelRefusedException e) {
            found(owner, method, descriptor, form, isFast, null, e.getMessage());
        }
    }

    private void found(String owner, String method, String descriptor, KernelForm form, boolean isFast,
                       KernelTranslator.Source source, String refusal) {
        String file = files.model(owner).findAttribute(Attributes.sourceFile()).map(of -> of.sourceFile().stringValue())
                .orElse(owner + ".class");
        kernels.add(new ScannedKernel(KernelLambda.name(owner, method), file, line(files.method(owner, method, descriptor)), form,
                isFast, source == null ? null : source.name(), source == null ? null : source.cuda(), refusal));
    }

    private static int line(MethodModel method) {
        if (method != null && method.code().isPresent()) {
            for (CodeElement element : method.code().get()) {
                if (element instanceof LineNumber number) {
                    return number.line();
                }
            }
        }
        return 0;
    }
}
