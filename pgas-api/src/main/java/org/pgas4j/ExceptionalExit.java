package org.pgas4j;

import java.io.IOException;
import java.io.InputStream;
import java.lang.StackWalker.StackFrame;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Tells a collective {@code close} on the way of an exception out of a {@code try} from any other. A rank on that way must
 * not wait for the other ranks: they do not know of the exception until it has left the program, and it cannot leave before
 * {@code close} returns. For runtimes and libraries; any thread.
 *
 * <p>A resource is not given the exception that closes it. But a Java compiler closes resources, and copies {@code finally}
 * blocks, once for the normal way and once for the exception's (JLS 14.20.2 and 14.20.3), and behind the second place the
 * method can only throw. So the class file of the caller is read: the exit is exceptional if no way of normal control from
 * the call leads to a return. Where there is no such file, or it is not the one that runs, the answer is no, and the close is
 * collective as ever.
 */
public final class ExceptionalExit {

    private static final StackWalker FRAMES = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final ClassValue<Map<CallPlace, Boolean>> KNOWN = new ClassValue<>() {
        @Override
        protected Map<CallPlace, Boolean> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
        }
    };

    private ExceptionalExit() {
    }

    /**
     * True if the method that calls this one, a {@code close}, was called where its caller can only go on to throw. A caller
     * that is a {@code close} itself is looked through: of an object that closes others, its own place counts too.
     */
    public static boolean isTaken() {
        return FRAMES.walk(ExceptionalExit::isTaken);
    }

    private static boolean isTaken(Stream<StackFrame> stack) {
        Iterator<StackFrame> frames = stack.iterator();
        frames.next(); // isTaken()
        String called = frames.next().getMethodName();
        while (frames.hasNext()) {
            StackFrame caller = frames.next();
            if (onlyThrows(caller, called)) {
                return true;
            }
            if (!caller.getMethodName().equals(called)) {
                return false;
            }
        }
        return false;
    }

    private static boolean onlyThrows(StackFrame caller, String called) {
        CallPlace place = new CallPlace(caller.getMethodName(), caller.getDescriptor(), caller.getByteCodeIndex(), called);
        Class<?> type = caller.getDeclaringClass();
        return KNOWN.get(type).computeIfAbsent(place, _ -> read(type).filter(place::onlyThrows).isPresent());
    }

    private static Optional<ClassModel> read(Class<?> type) {
        String name = type.getName();
        try (InputStream file = type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            return file == null ? Optional.empty() : Optional.of(ClassFile.of().parse(file.readAllBytes()));
        } catch (IOException | IllegalArgumentException _) {
            return Optional.empty(); // a loader without files, or a newer format
        }
    }
}
