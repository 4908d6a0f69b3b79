package org.pgas4j.kernels;

import java.lang.classfile.instruction.InvokeInstruction;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.GlobalElements;
import org.pgas4j.ReduceOp;

/**
 * Advice against operations ({@link AtomicOp}, {@link ReduceOp}) of calls that do not take them: those on elements of global arrays and
 * of memory of the block, and reductions of a warp or a block. Others are compared on the device.
 */
final class OperationAdvice {

    private OperationAdvice() {
    }

    /** Advice against an argument of a call; null if it is none of these operations, or one that the call takes. */
    static String of(InvokeInstruction call, ClassFiles files, Operand argument) {
        if (!(argument instanceof Operand.Value value) || !(value.kind() instanceof Kind.Known known)) {
            return null;
        }
        ElementType type = switch (call.typeSymbol().returnType().descriptorString()) {
            case "I" -> ElementType.INT;
            case "J" -> ElementType.LONG;
            case "F" -> ElementType.FLOAT;
            default -> ElementType.DOUBLE;
        };
        if (known.type() == KnownType.ATOMIC_OP && isOnElement(call, files)) {
            return ofAtomic(value.text(), type);
        }
        return known.type() == KnownType.REDUCE_OP && call.name().stringValue().matches("(warp|block)Reduce")
                ? ofReduction(value.text(), type) : null;
    }

    private static boolean isOnElement(InvokeInstruction call, ClassFiles files) {
        return call.name().equalsString("atomic") && (call.typeSymbol().parameterType(0).isArray()
                || GlobalElements.class.isAssignableFrom(files.type(call.owner().asSymbol())));
    }

    private static String ofAtomic(String operation, ElementType type) {
        if (!operation.startsWith(BlockIntrinsics.ATOMIC_PREFIX)) {
            return "name a constant of AtomicOp in the call";
        }
        AtomicOp op = AtomicOp.valueOf(operation.substring(BlockIntrinsics.ATOMIC_PREFIX.length()));
        return op == AtomicOp.COMPARE_SWAP ? "use compareAndExchange" : op.isOf(type) ? null : "only integers have " + op;
    }

    private static String ofReduction(String operation, ElementType type) {
        if (!type.isFloatingPoint()) {
            return null;
        }
        if (!operation.startsWith(BlockIntrinsics.REDUCE_PREFIX)) {
            return "name a constant of ReduceOp in the call";
        }
        ReduceOp op = ReduceOp.valueOf(operation.substring(BlockIntrinsics.REDUCE_PREFIX.length()));
        return op.isDefinedFor(type) ? null : "only integers have " + op;
    }
}
