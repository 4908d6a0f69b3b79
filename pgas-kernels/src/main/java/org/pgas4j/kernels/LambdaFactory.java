package org.pgas4j.kernels;

import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import org.pgas4j.KernelRefusedException;

/**
 * Makes lambdas that have the body of a given one and other captured values, as they are made when a lambda is read from a
 * stream: by the method {@code $deserializeLambda$} that compilers add to a class with lambdas of serializable types ({@link
 * SerializedLambda}). Nothing is read or written. All that a factory makes are of one class. Thread-safe.
 */
final class LambdaFactory {

    private final Class<?> capturing;
    private final SerializedLambda first;
    private final MethodHandle make; // (SerializedLambda) Object

    /**
     * @param type  class of a lambda
     * @param first its description
     * @throws KernelRefusedException if its class has no such method, or is not open to this module
     */
    LambdaFactory(Class<?> type, SerializedLambda first) {
        this.first = first;
        try {
            this.capturing = Class.forName(first.getCapturingClass().replace('/', '.'), false, type.getClassLoader());
            Method method = capturing.getDeclaredMethod("$deserializeLambda$", SerializedLambda.class);
            method.setAccessible(true);
            this.make = MethodHandles.lookup().unreflect(method)
                    .asType(MethodType.methodType(Object.class, SerializedLambda.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new KernelRefusedException("kernel of class " + type.getName() + " cannot be made with memory of its host: "
                    + e + "; compile it with javac, and open its package to org.pgas4j.kernels (opens ... in module-info)", e);
        }
    }

    /** A lambda with these captured values. */
    Serializable make(Object[] captured) {
        SerializedLambda description = new SerializedLambda(capturing, first.getFunctionalInterfaceClass(),
                first.getFunctionalInterfaceMethodName(), first.getFunctionalInterfaceMethodSignature(),
                first.getImplMethodKind(), first.getImplClass(), first.getImplMethodName(), first.getImplMethodSignature(),
                first.getInstantiatedMethodType(), captured);
        try {
            return (Serializable) (Object) make.invokeExact(description);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // the method declares no other
        }
    }
}
