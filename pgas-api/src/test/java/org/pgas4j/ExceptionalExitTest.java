package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ExceptionalExitTest {

    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Notes at each close whether it was on the way of an exception. */
    private final List<Boolean> closes = new ArrayList<>();

    private final class Resource implements AutoCloseable {
        @Override
        public void close() {
            closes.add(ExceptionalExit.isTaken());
        }
    }

    /** A resource of a program, which closes another. */
    private final class Owner implements AutoCloseable {
        private final Resource owned = new Resource();

        @Override
        public void close() {
            owned.close();
        }
    }

    private static void work(boolean fails) {
        if (fails) {
            throw new Stop();
        }
    }

    private void assertCloses(List<Boolean> expected, Executable program) throws Throwable {
        boolean fails = expected.contains(true);
        if (fails) {
            assertThrows(Stop.class, program);
        } else {
            program.execute();
        }
        assertEquals(expected, closes);
        closes.clear();
    }

    @Test
    void shouldTellTheWaysOutOfATryWithAResource() throws Throwable {
        for (boolean fails : new boolean[] {true, false}) {
            assertCloses(List.of(fails), () -> {
                try (Resource _ = new Resource()) {
                    work(fails);
                }
            });
        }
    }

    @Test
    void shouldTellTheWaysOutOfATryWithSeveralResources() throws Throwable {
        for (boolean fails : new boolean[] {true, false}) {
            assertCloses(List.of(fails, fails, fails), () -> {
                try (Resource _ = new Resource(); Resource _ = new Resource()) {
                    try (Resource _ = new Resource()) {
                        work(fails);
                    }
                }
            });
        }
    }

    @Test
    void shouldTellTheWaysThroughAFinallyBlock() throws Throwable {
        for (boolean fails : new boolean[] {true, false}) {
            Resource resource = new Resource();
            assertCloses(List.of(fails, fails), () -> {
                try {
                    work(fails);
                } finally {
                    for (int i = 0; i < 2; i++) {
                        resource.close();
                    }
                }
            });
        }
    }

    @Test
    void shouldLookThroughACloseThatClosesOthers() throws Throwable {
        for (boolean fails : new boolean[] {true, false}) {
            assertCloses(List.of(fails), () -> {
                try (Owner _ = new Owner()) {
                    work(fails);
                }
            });
        }
    }

    @Test
    void shouldTakeAReturnAsTheNormalWay() throws Throwable {
        assertCloses(List.of(false), () -> assertEquals(3, returning(3)));
    }

    private int returning(int value) {
        try (Resource _ = new Resource()) {
            work(false);
            switch (value) {
                case 1:
                    return 1;
                case 3:
                    return value;
                default:
                    throw new Stop();
            }
        }
    }

    @Test
    void shouldTakeACloseBeforeAThrowAsExceptional() throws Throwable {
        Resource resource = new Resource();
        assertCloses(List.of(true), () -> {
            resource.close();
            throw new Stop();
        });
    }

    @Test
    void shouldTakeACloseInAHandlerThatGoesOnAsNormal() throws Throwable {
        Resource resource = new Resource();
        assertCloses(List.of(false), () -> {
            try {
                work(true);
            } catch (Stop _) {
                resource.close();
            }
        });
    }

    @Test
    void shouldNotLookBeyondTheMethodThatCloses() throws Throwable {
        assertThrows(Stop.class, () -> {
            phase();
            throw new Stop();
        });
        assertEquals(List.of(false), closes);
    }

    private void phase() {
        try (Resource _ = new Resource()) {
            work(false);
        }
    }
}
