package org.pgas4j.examples.suite;

import java.lang.reflect.Constructor;
import java.util.List;
import org.pgas4j.examples.common.CommandRun;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.suite.SuiteJobs.Ended;

/** Runs programs of the suite one after the other, each with the options it has in a job of its own. */
final class SuiteRuns {

    private SuiteRuns() {
    }

    /** @param args main class and options of each program, separated by blanks; last lines of results go to standard output */
    public static void main(String[] args) {
        for (String arg : args) {
            List<String> words = List.of(arg.split(" "));
            Ended ended = run(words.getFirst(), words.subList(1, words.size()));
            if (ended.code() != Example.OK) {
                System.err.println(arg + " ended with " + ended.code() + ": " + ended.result());
                System.exit(ended.code());
            }
            if (!ended.result().isEmpty()) { // of rank 0
                System.out.println(ended.result());
            }
        }
    }

    /** Runs a program in this JVM. */
    static Ended run(String program, List<String> args) {
        try {
            Constructor<?> constructor = Class.forName(program).getDeclaredConstructor();
            constructor.setAccessible(true);
            CommandRun run = CommandRun.of((Example) constructor.newInstance(), args.toArray(String[]::new));
            return new Ended(run.code(), run.lastLine());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(program + " cannot be made", e);
        }
    }
}
