package org.pgas4j.testkit;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.campaign.Allocations;
import org.pgas4j.testkit.campaign.BackPressure;
import org.pgas4j.testkit.campaign.Busy;
import org.pgas4j.testkit.campaign.DeviceFaults;
import org.pgas4j.testkit.campaign.FailureCampaign;
import org.pgas4j.testkit.campaign.FullDevice;
import org.pgas4j.testkit.campaign.ManyJobs;
import org.pgas4j.testkit.campaign.ManyRanks;
import org.pgas4j.testkit.campaign.Packets;
import org.pgas4j.testkit.campaign.Phases;
import org.pgas4j.testkit.campaign.Soak;
import org.pgas4j.testkit.campaign.Weather;
import org.pgas4j.testkit.contract.BlockAtomics;
import org.pgas4j.testkit.contract.BlockContract;
import org.pgas4j.testkit.contract.BlockCrowd;
import org.pgas4j.testkit.contract.BlockLibraryContract;
import org.pgas4j.testkit.contract.Contracts;
import org.pgas4j.testkit.contract.PointerFuzz;
import org.pgas4j.testkit.fuzz.KernelFuzz;
import org.pgas4j.testkit.litmus.Litmus;
import org.pgas4j.testkit.litmus.Ordering;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.random.RandomOps;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Command with all programs and tools of the testkit. Programs run as ranks, under a launcher or alone; tools start jobs
 * themselves or need none.
 */
@Command(name = "testkit", description = "Programs that hold a conduit, device or route to its contract, and tools.")
public final class Testkit {

    private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

    static {
        for (Class<?> command : List.of(Contracts.class, BlockContract.class, BlockCrowd.class, BlockAtomics.class,
                BlockLibraryContract.class, PointerFuzz.class, KernelFuzz.class, Litmus.class, Ordering.class, RandomOps.class,
                Allocations.class, BackPressure.class, Packets.class, ManyRanks.class, Busy.class, Phases.class, Soak.class,
                DeviceFaults.class, FullDevice.class, ManyJobs.class, FailureCampaign.class, Weather.class)) {
            COMMANDS.put(command.getAnnotation(Command.class).name(), command);
        }
    }

    private Testkit() {
    }

    public static void main(String[] args) throws Exception {
        List<String> words = List.of(args);
        if (words.isEmpty() || words.getFirst().equals("--help")) {
            CommandLine all = new CommandLine(new Testkit());
            COMMANDS.forEach(all::addSubcommand);
            all.usage(System.out);
            System.exit(words.isEmpty() ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.OK);
        }
        CommandLine command;
        try {
            command = parse(words);
        } catch (UsageException e) {
            if (Program.class.isAssignableFrom(COMMANDS.getOrDefault(words.getFirst(), Object.class))) {
                throw e; // the launcher or Pgas reports it
            }
            System.err.println("pgas4j: " + e.getMessage());
            System.exit(CommandLine.ExitCode.USAGE);
            return;
        }
        if (command.isUsageHelpRequested()) {
            command.usage(System.out);
        } else if (command.getCommand() instanceof Program program) {
            Pgas.run(program.config(), words, Testkit::run);
        } else {
            System.exit(command.<Callable<Integer>>getCommand().call());
        }
    }

    /** Settings under which a program fits: its name and its options. */
    public static PgasConfig config(List<String> words) {
        return program(words).config();
    }

    /** Collective: runs the program that the rank's arguments name. */
    public static void run(Rank rank) {
        program(rank.args()).run(rank);
    }

    private static Program program(List<String> words) {
        if (parse(words).getCommand() instanceof Program program) {
            return program;
        }
        throw new UsageException(words.getFirst() + " is a tool, not a program of ranks");
    }

    private static CommandLine parse(List<String> words) {
        Class<?> type = COMMANDS.get(words.getFirst());
        if (type == null) {
            throw new UsageException("unknown command '" + words.getFirst() + "' (expected: "
                    + String.join(", ", COMMANDS.keySet()) + ")");
        }
        CommandLine command = new CommandLine(type).setCaseInsensitiveEnumValuesAllowed(true);
        command.getCommandSpec().addOption(OptionSpec.builder("-h", "--help").usageHelp(true).description("Prints this.")
                .build());
        try {
            command.parseArgs(words.subList(1, words.size()).toArray(String[]::new));
        } catch (ParameterException e) {
            throw new UsageException(words.getFirst() + ": " + e.getMessage(), e);
        }
        command.getCommandSpec().options().forEach(Testkit::checkRange);
        return command;
    }

    private static void checkRange(OptionSpec option) {
        InRange range = option.userObject() instanceof Field field ? field.getAnnotation(InRange.class) : null;
        if (range != null && option.getValue() instanceof Number number
                && (number.longValue() < range.min() || number.longValue() > range.max())) {
            throw new UsageException(option.longestName() + " " + number + " (expected: " + range.min()
                    + (range.max() == Long.MAX_VALUE ? " or more)" : ".." + range.max() + ")"));
        }
    }
}
