package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.UsageException;

@Timeout(30)
class UserMainTest {

    private static final List<String> CALLED = new ArrayList<>();
    private static final IllegalStateException MISTAKE = new IllegalStateException("user's mistake");

    @SuppressWarnings("unused")
    static final class InstanceNoArguments {
        void main() {
            CALLED.add("instance");
        }
    }

    @SuppressWarnings("unused")
    static final class Instance {
        void main(String[] args) {
            CALLED.add("instance " + String.join(",", args));
        }
    }

    @SuppressWarnings("unused")
    static final class StaticNoArguments {
        static void main() {
            CALLED.add("static");
        }
    }

    @SuppressWarnings("unused")
    static class Both {
        static void main() {
            throw new AssertionError("the one with arguments goes first");
        }

        static void main(String[] args) {
            CALLED.add("static " + String.join(",", args));
        }
    }

    static final class Inherits extends Both {
    }

    static final class Nothing {
    }

    @SuppressWarnings("unused")
    static final class PrivateOrOther {
        private static void main(String[] args) {
        }

        static int main() {
            return 0;
        }
    }

    @SuppressWarnings("unused")
    static final class NoConstructor {
        private NoConstructor(int size) {
        }

        void main() {
        }
    }

    @SuppressWarnings("unused")
    abstract static class Abstract {
        void main() {
        }
    }

    @SuppressWarnings("unused")
    static final class Throws {
        void main() {
            throw MISTAKE;
        }
    }

    @BeforeEach
    void forget() {
        CALLED.clear();
    }

    private static String refusal(String name) {
        return assertThrows(UsageException.class, () -> UserMain.run(name, new String[0])).getMessage();
    }

    @Test
    void shouldFindEachFormOfMain() throws Throwable {
        for (Class<?> type : List.of(InstanceNoArguments.class, Instance.class, StaticNoArguments.class, Both.class,
                Inherits.class)) {
            UserMain.run(type.getName(), new String[] {"a", "b"});
        }

        assertEquals(List.of("instance", "instance a,b", "static", "static a,b", "static a,b"), CALLED);
    }

    @Test
    void shouldSayInOneLineWhatIsWrongWithTheClass() {
        assertTrue(refusal(Nothing.class.getName()).contains("Nothing has no main method: void main(String[] args) or"));
        assertTrue(refusal(PrivateOrOther.class.getName()).contains("no main method"));
        assertTrue(refusal(NoConstructor.class.getName()).contains("no constructor without parameters"));
        assertTrue(refusal(Abstract.class.getName()).contains("is abstract"));
        assertTrue(refusal("org.example.Missing").contains("no class org.example.Missing on the class path"));
        String path = Nothing.class.getName().replace('.', '/');
        assertTrue(refusal(path).contains(path) && !refusal(path).contains("\n"));
        assertFalse(refusal(Nothing.class.getName()).contains("\n"));
    }

    @Test
    void shouldPassOnWhatMainThrows() {
        assertSame(MISTAKE, assertThrows(IllegalStateException.class,
                () -> UserMain.run(Throws.class.getName(), new String[0])));
    }
}
