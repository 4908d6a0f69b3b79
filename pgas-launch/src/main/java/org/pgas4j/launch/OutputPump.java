package org.pgas4j.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;

/** Passes a child's output on in whole lines; lines of several children do not mix. One daemon thread each. */
final class OutputPump {

    private static final int BUFFER = 64 << 10;

    private final InputStream from;
    private final OutputStream to;
    private final Thread thread;

    private OutputPump(InputStream from, OutputStream to, String name) {
        this.from = from;
        this.to = to;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    /** @param to shared by all pumps to the same place; locked for each write */
    static OutputPump start(InputStream from, OutputStream to, String name) {
        OutputPump pump = new OutputPump(from, to, name);
        pump.thread.start();
        return pump;
    }

    /** Waits for the end of the child's output, at most {@code ms}: its own children may hold it open. */
    void join(long ms) throws InterruptedException {
        thread.join(Math.max(1, ms));
    }

    private void run() {
        byte[] buffer = new byte[BUFFER];
        int length = 0;
        try {
            while (true) {
                int count = from.read(buffer, length, buffer.length - length);
                if (count < 0) {
                    break;
                }
                length += count;
                int whole = length;
                while (whole > 0 && buffer[whole - 1] != '\n') {
                    whole--;
                }
                if (whole == 0 && length == buffer.length) {
                    whole = length; // a line longer than the buffer is passed on in pieces
                }
                pass(buffer, whole);
                System.arraycopy(buffer, whole, buffer, 0, length - whole);
                length -= whole;
            }
            pass(buffer, length);
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, "output of a child ended", e);
        }
    }

    private void pass(byte[] bytes, int length) {
        if (length == 0) {
            return;
        }
        synchronized (to) {
            try {
                to.write(bytes, 0, length);
                to.flush();
            } catch (IOException e) { // the output has no reader: the children must not block for that
                System.getLogger("pgas.boot").log(Level.DEBUG, "output of pgasrun is closed", e);
            }
        }
    }
}
