package org.pgas4j.launch;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.pgas4j.UsageException;

/** Starts the program's main method as the {@code java} command would: static or not, with or without arguments. */
final class UserMain {

    private UserMain() {
    }

    /**
     * Runs it on the calling thread; its exceptions are not wrapped.
     *
     * @throws UsageException if there is no such class or main method, or it cannot be loaded
     */
    static void run(String className, String[] args) throws Throwable {
        Class<?> type;
        Method main;
        try {
            type = Class.forName(className, false, ClassLoader.getSystemClassLoader());
            main = mainOf(type);
        } catch (ClassNotFoundException e) {
            throw new UsageException("no class " + className + " on the class path; give its jar or directory with -cp",
                    e);
        } catch (LinkageError e) {
            throw new UsageException("cannot load class " + className + ": " + e, e);
        }
        boolean takesArgs = main.getParameterCount() == 1;
        try {
            Object target = Modifier.isStatic(main.getModifiers()) ? null : instance(type);
            main.setAccessible(true);
            if (takesArgs) {
                main.invoke(target, (Object) args);
            } else {
                main.invoke(target);
            }
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Object instance(Class<?> type) throws Throwable {
        try {
            var constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (NoSuchMethodException e) {
            throw new UsageException("class " + type.getName() + " has an instance main method but no constructor without"
                    + " parameters", e);
        } catch (InstantiationException e) {
            throw new UsageException("class " + type.getName() + " has an instance main method but is abstract", e);
        }
    }

    private static Method mainOf(Class<?> type) {
        Method withArguments = declaredMain(type, String[].class);
        Method main = withArguments == null ? declaredMain(type) : withArguments;
        if (main == null) {
            throw new UsageException("class " + type.getName() + " has no main method: void main(String[] args) or"
                    + " void main(), not private");
        }
        return main;
    }

    /** The nearest such method of the class or those above it; null without. */
    private static Method declaredMain(Class<?> type, Class<?>... parameters) {
        for (Class<?> in = type; in != null; in = in.getSuperclass()) {
            for (Method method : in.getDeclaredMethods()) {
                if (method.getName().equals("main") && method.getReturnType() == void.class
                        && !Modifier.isPrivate(method.getModifiers()) && Arrays.equals(method.getParameterTypes(), parameters)) {
                    return method;
                }
            }
        }
        return null;
    }
}
