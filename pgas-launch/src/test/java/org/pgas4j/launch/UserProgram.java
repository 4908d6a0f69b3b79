package org.pgas4j.launch;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Pgas;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** A program that was not written for pgasrun: programs log, read objects, make temporary files. */
public final class UserProgram {

    private UserProgram() {
    }

    /** @param args ignored */
    public static void main(String[] args) throws Exception {
        LoggerFactory.getLogger("user");
        System.out.println("first " + ClassLoader.getSystemResource("META-INF/MANIFEST.MF"));
        System.out.println("temporary " + System.getProperty("java.io.tmpdir"));
        System.out.println("read " + read(written(new ArrayList<>(List.of("a", "b")))));
        System.out.println("listed " + jps().contains(ProcessHandle.current().pid() + " " + RankMain.class.getName()));
        Pgas.run(args, rank -> {
            rank.barrier();
            System.out.println("done");
        });
    }

    private static byte[] written(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        return bytes.toByteArray();
    }

    private static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return in.readObject();
        }
    }

    private static List<String> jps() throws IOException {
        Process jps = new ProcessBuilder(System.getProperty("java.home") + "/bin/jps", "-l").start();
        return jps.inputReader().readAllLines();
    }

    /** A binding that says who logs. */
    public static final class Logging implements SLF4JServiceProvider {

        @Override
        public ILoggerFactory getLoggerFactory() {
            return name -> {
                System.out.println("logger " + name);
                return NOPLogger.NOP_LOGGER;
            };
        }

        @Override
        public IMarkerFactory getMarkerFactory() {
            return new BasicMarkerFactory();
        }

        @Override
        public MDCAdapter getMDCAdapter() {
            return new NOPMDCAdapter();
        }

        @Override
        public String getRequestedApiVersion() {
            return "2.0.99";
        }

        @Override
        public void initialize() {
            System.out.println("binding of the user");
        }
    }
}
