package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.cuda.EndWord.State;

class EndWordTest {

    private final MemorySegment memory = Arena.ofAuto().allocate(8, 8);
    private final EndWord end = new EndWord(memory);

    @Test
    void shouldKnowNothingWithoutAMark() {
        assertEquals(State.UNKNOWN, end.look());
        assertFalse(end.isMarked());
    }

    @Test
    void shouldEndWhenTheMarkIsWritten() {
        long value = end.mark();

        assertEquals(State.RUNNING, end.look());
        memory.set(ValueLayout.JAVA_LONG, 0, value);
        assertEquals(State.ENDED, end.look());
    }

    @Test
    void shouldKnowNothingOfWorkBehindTheMark() {
        memory.set(ValueLayout.JAVA_LONG, 0, end.mark());
        end.queued();

        assertEquals(State.UNKNOWN, end.look());
        long next = end.mark();
        assertEquals(State.RUNNING, end.look(), "the mark before is written, the next one is not");
        memory.set(ValueLayout.JAVA_LONG, 0, next);
        assertEquals(State.ENDED, end.look());
    }

    /** A stream whose work failed never writes. */
    @Test
    void shouldLeaveALookToTheDriverEverySoOften() {
        for (int mark = 0; mark < 2; mark++) {
            end.mark();
            for (int query = 0; query < 3; query++) {
                for (int look = 1; look < 32; look++) {
                    assertEquals(State.RUNNING, end.look());
                }
                assertEquals(State.UNKNOWN, end.look());
            }
        }
    }

    @Test
    void shouldLeaveTheNextLookToTheDriverAsTold() {
        end.mark();
        assertEquals(State.RUNNING, end.look());
        end.askNext();
        assertEquals(State.UNKNOWN, end.look());
        assertEquals(State.RUNNING, end.look());
    }

    @Test
    void shouldGoOnWhereTheStreamBeforeHasEnded() {
        memory.set(ValueLayout.JAVA_LONG, 0, end.mark());
        EndWord later = new EndWord(memory);

        long value = later.mark();
        assertEquals(State.RUNNING, later.look(), "the word has the value of the stream before");
        memory.set(ValueLayout.JAVA_LONG, 0, value);
        assertEquals(State.ENDED, later.look());
    }

    @Test
    void shouldGiveEachStreamAWordOfItsOwn() {
        EndWords words = new EndWords(HeapPinned::new);
        Set<Long> addresses = new HashSet<>();
        for (int i = 0; i < 600; i++) {
            MemorySegment word = words.take();
            assertTrue(addresses.add(word.address()), "word " + i + " is another stream's");
            assertEquals(0, word.address() % Long.BYTES);
        }
        MemorySegment back = words.take();
        words.giveBack(back);
        Set<Long> again = new HashSet<>();
        for (int i = 0; i < 512; i++) {
            again.add(words.take().address());
        }
        assertTrue(again.contains(back.address()), "a word that was given back is used again");
    }

    private record HeapPinned(MemorySegment segment) implements PinnedMemory {

        HeapPinned(long bytes) {
            this(Arena.ofAuto().allocate(bytes, EndWords.SPACING));
        }

        @Override
        public void close() {
            // the arena frees it
        }
    }
}
