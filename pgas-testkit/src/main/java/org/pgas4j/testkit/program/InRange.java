package org.pgas4j.testkit.program;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Bounds of a numeric option, both included. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface InRange {

    /** Smallest value. */
    long min();

    /** Largest value. */
    long max() default Long.MAX_VALUE;
}
