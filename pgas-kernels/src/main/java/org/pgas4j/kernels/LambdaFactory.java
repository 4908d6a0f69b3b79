package org.pgas4j.kernels;

import java.io.Serializable;
import java.lang.invoke.LambdaConversionException;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import org.pgas4j.KernelRefusedException;

/**
 * Makes lambdas that have the body of a given one and other captured values. They are made as the compiled program makes its own, by
 * {@link LambdaMetafactory}, in the name of the class that the given one is in. Thread-safe.
 */
final class LambdaFactory {

    private final MethodHandle make; // (Object[]) Object

    /**
     * @param type  class of a lambda
     * @param first its description
     * @throws KernelRefusedException if its package is not open to this module
     */
    LambdaFactory(Class<?> type, SerializedLambda first) {
        ClassLoader loader = type.getClassLoader();
        try {
            LambdaFactory.class.getModule().addReads(type.getModule());
            MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type.getNestHost(), MethodHandles.lookup());
            MethodType body = MethodType.fromMethodDescriptorString(first.getImplMethodSignature(), loader);
            MethodHandle method = lookup.findStatic(named(first.getImplClass(), loader), first.getImplMethodName(), body);
            int captured = first.getCapturedArgCount();
            MethodType factory = body.dropParameterTypes(captured, body.parameterCount())
                    .changeReturnType(named(first.getFunctionalInterfaceClass(), loader));
            this.make = LambdaMetafactory.metafactory(lookup, first.getFunctionalInterfaceMethodName(), factory,
                            MethodType.fromMethodDescriptorString(first.getFunctionalInterfaceMethodSignature(), loader), method,
                            MethodType.fromMethodDescriptorString(first.getInstantiatedMethodType(), loader))
                    .getTarget().asSpreader(Object[].class, captured)
                    .asType(MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException | LambdaConversionException e) {
            throw new KernelRefusedException("kernel of class " + type.getName() + " cannot be called: " + e.getMessage()
                    + "; open its package to org.pgas4j.kernels (opens ... in module-info)", e);
        }
    }

    private static Class<?> named(String internalName, ClassLoader loader) throws ClassNotFoundException {
        return Class.forName(internalName.replace('/', '.'), false, loader);
    }

    /** A lambda with these captured values. */
    Serializable make(Object[] captured) {
        try {
            return (Serializable) (Object) make.invokeExact(captured);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a factory of lambdas throws nothing else
        }
    }
}
