package org.pgas4j.kernels;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.Buffer;
import org.pgas4j.kernel.KernelThread;

/** Functions of a file in Kotlin, which are static methods of a class whose parameters are checked for null. */
class KotlinKernelTest {

    private static final ClassDesc TYPE = ClassDesc.of("ScaleKt");
    private static final ClassDesc BUFFER = ClassDesc.ofDescriptor(Buffer.class.descriptorString());
    private static final ClassDesc THREAD = ClassDesc.ofDescriptor(KernelThread.class.descriptorString());

    /** {@code fun scale(x: Buffer, f: Double, self: KernelThread) = x.putDouble(self.global(), f * x.getDouble(...))} */
    private static byte[] scale() {
        return ClassFile.of().build(TYPE, type -> type.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL | ClassFile.ACC_SUPER)
                .withMethodBody("scale", MethodTypeDesc.of(CD_void, BUFFER, CD_double, THREAD),
                        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC | ClassFile.ACC_FINAL, code -> {
                            check(code, 0, "x");
                            check(code, 3, "self");
                            code.aload(0).aload(3);
                            global(code);
                            code.dload(1).aload(0).aload(3);
                            global(code);
                            code.invokevirtual(BUFFER, "getDouble", MethodTypeDesc.of(CD_double, CD_long))
                                    .dmul().invokevirtual(BUFFER, "putDouble",
                                            MethodTypeDesc.of(CD_void, CD_long, CD_double))
                                    .return_();
                        }));
    }

    private static void check(java.lang.classfile.CodeBuilder code, int slot, String name) {
        code.aload(slot).ldc(name).invokestatic(ClassDesc.of("kotlin.jvm.internal.Intrinsics"), "checkNotNullParameter",
                MethodTypeDesc.of(CD_void, ConstantDescs.CD_Object, ConstantDescs.CD_String));
    }

    private static void global(java.lang.classfile.CodeBuilder code) {
        code.invokeinterface(THREAD, "global", MethodTypeDesc.of(CD_long));
    }

    /** Finds the class in memory, as loaders of interactive shells do. */
    private static final class MemoryLoader extends ClassLoader {

        private final byte[] file = scale();

        MemoryLoader() {
            super(KotlinKernelTest.class.getClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.equals("ScaleKt")) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, file, 0, file.length);
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            return name.equals("ScaleKt.class") ? new ByteArrayInputStream(file) : super.getResourceAsStream(name);
        }
    }

    @Test
    void shouldBeKernels() {
        List<ScannedKernel> kernels = KernelScan.of("ScaleKt", new MemoryLoader());
        assertEquals(1, kernels.size());
        assertNull(kernels.getFirst().refusal());
        assertEquals("ScaleKt.scale", kernels.getFirst().origin());
        assertFalse(kernels.getFirst().cuda().contains("Intrinsics"));
        assertTrue(kernels.getFirst().cuda().contains("PGAS_KERNEL pgas_ScaleKt_scale("), kernels.getFirst().cuda());
    }
}
