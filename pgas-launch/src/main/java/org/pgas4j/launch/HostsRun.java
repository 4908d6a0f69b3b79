package org.pgas4j.launch;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.pgas4j.ExitCode;
import org.pgas4j.PgasKey;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Coordinator;
import org.pgas4j.bootstrap.CoordinatorOptions;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.Phase;

/**
 * A job on several hosts: an agent on each starts its JVMs and watches them; this one watches the agents. Failures
 * travel between the coordinators, output and ends through the agents' pipes.
 */
final class HostsRun extends LaunchSupervisor<HostsRun.Event> implements NodeAgent.Listener {

    /** Time an agent has for each step of its start, unless ranks may wait for longer. */
    private static final long START_MS = 30_000;
    /** Added to the time that an agent needs to end its JVMs. */
    private static final long MARGIN_MS = 3_000;
    private static final long RELEASE_MS = 5_000;
    /**
     * Time an agent has to report the end of its JVMs after the connection of its node ended: the node may have no
     * power.
     */
    private static final long SILENT_MS = 4_000;
    private static final long CLEAN_MS = 5_000;

    sealed interface Event {

        record Ended(NodeAgent agent) implements Event { }

        record Failed(NodeAgent agent, int exitCode, String why) implements Event { }

        record Lost(NodeAgent agent, String why) implements Event { }

        record Joined(int first) implements Event { }

        record Gone(int first) implements Event { }

        record Broken(int process, String why) implements Event { }

    }

    private final List<NodeShare> shares;
    private final HostOptions hosts;
    private final ClassPath path;
    private final Terminal terminal;
    private final LaunchAddress address;
    private final long startMs;
    private final List<NodeAgent> running = new ArrayList<>();
    private final List<NodeAgent> joined = new ArrayList<>();
    private final List<NodeAgent> lost = new CopyOnWriteArrayList<>(); // also read by the hook
    private final Map<NodeAgent, Long> silentSinceNs = new HashMap<>();
    private final List<NodeAgent> unreachable = new CopyOnWriteArrayList<>();
    private volatile List<NodeAgent> agents = List.of();

    HostsRun(JobOptions options, List<NodeShare> shares, HostOptions hosts, ClassPath path, Terminal terminal)
            throws IOException {
        super(options);
        this.shares = shares;
        this.hosts = hosts;
        this.path = path;
        this.terminal = terminal;
        this.address = LaunchAddress.of(options.config(), shares);
        this.startMs = Math.max(START_MS, options.config().duration(PgasKey.TIMEOUT).toMillis());
    }

    @Override
    public CoordinatorOptions meeting(CoordinatorOptions loopback) {
        CoordinatorOptions here = address.listen() == null ? loopback.onAllInterfaces(0)
                : loopback.on(address.listen(), 0);
        boolean tls = CoordinatorOptions.usesTls(options.config(), here.tls());
        if (!tls && !here.address().isLoopbackAddress()) {
            System.err.println("pgas4j: pgas.tls=off: addresses and keys of memory pass between the hosts in the clear");
        }
        return here.withTls(tls);
    }

    @Override
    public void start(String job) throws IOException {
        options.log("job " + job + " on " + shares.size() + " hosts, which reach this one at " + address.reach());
        AgentPlan plan = new AgentPlan(job, options, path, hosts.java(), hosts.ship());
        agents = shares.stream().map(share -> new NodeAgent(share, hosts.remote(share), plan, terminal, this)).toList();
        for (NodeAgent agent : agents) {
            agent.start();
            running.add(agent);
        }
    }

    @Override
    public void run(String job, Coordinator meeting, JobSecret secret) throws InterruptedException {
        for (NodeAgent agent : agents) {
            agent.send((share, found) -> new AgentRecord(job, secret, address.reach(), meeting.port(),
                    meeting.at(address.reach().getFirst(), "").tls(), share, found.directory(),
                    options.at(AgentPlan.text(found.classPath().all()), found.work())).encode());
        }
        supervise(meeting);
        watch();
    }

    @Override
    public List<byte[]> stats() {
        return agents.stream().flatMap(agent -> agent.stats().stream()).toList();
    }

    @Override
    public List<Path> traces() {
        return agents.stream().flatMap(agent -> agent.traces().stream()).toList();
    }

    @Override
    protected boolean isRunning() {
        return !running.isEmpty();
    }

    @Override
    protected void step(long nowNs) {
        if (!hasFailed()) {
            running.stream().filter(agent -> !joined.contains(agent)
                    && nowNs - agent.progressNs() > startMs * 1_000_000).findFirst().ifPresent(agent ->
                    notStarted(agent, "its agent has not joined the job within " + startMs
                            + " ms; -v shows its last step", ExitCode.BOOTSTRAP.number()));
            return;
        }
        // the failure does not reach agents that have not joined
        agents.stream().filter(agent -> !joined.contains(agent)).forEach(NodeAgent::release);
        if (escalation.sinceFailureNs(nowNs) > (options.grace().toMillis() + 2 * Escalation.TERM_MS + MARGIN_MS)
                * 1_000_000) {
            running.forEach(agent -> System.err.println("pgas4j: the agent on " + agent.share().host()
                    + " has not reported the end of its JVMs"));
            lost.addAll(running);
            running.clear();
        } else {
            running.stream().filter(agent -> nowNs - silentSinceNs.getOrDefault(agent, nowNs) > SILENT_MS * 1_000_000)
                    .toList().forEach(this::giveUp);
        }
    }

    private void giveUp(NodeAgent agent) {
        System.err.println("pgas4j: no answer from " + agent.share().host()
                + "; its JVMs end by themselves if it runs");
        running.remove(agent);
        unreachable.add(agent);
    }

    @Override
    protected void handle(Event event) {
        switch (event) {
            case Event.Ended ended -> {
                running.remove(ended.agent());
                options.log("host " + ended.agent().share().host() + ": all its JVMs have ended");
            }
            case Event.Failed failed -> {
                running.remove(failed.agent());
                notStarted(failed.agent(), failed.why(), failed.exitCode());
                failed.agent().release();
            }
            case Event.Lost gone -> {
                running.remove(gone.agent());
                lost.add(gone.agent());
                if (joined.contains(gone.agent())) {
                    lost(gone.agent().share().first(), "the node's agent was lost: " + firstLine(gone.why()));
                } else {
                    notStarted(gone.agent(), gone.why(), ExitCode.BOOTSTRAP.number());
                }
            }
            case Event.Joined node -> agents.stream().filter(agent -> agent.share().first() == node.first())
                    .forEach(joined::add);
            case Event.Gone node -> agents.stream().filter(agent -> agent.share().first() == node.first())
                    .forEach(agent -> silentSinceNs.put(agent, System.nanoTime()));
            case Event.Broken broken -> lost(broken.process(), broken.why());
        }
    }

    /** Ends the job because a node could not be started, unless it has failed before. */
    private void notStarted(NodeAgent agent, String why, int exitCode) {
        int process = agent.share().first();
        end(new Abort(rank(process), place(process), Phase.STARTING, firstLine(why), exitCode, false));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private NodeShare shareOf(int process) {
        return shares.stream().filter(share -> process >= share.first() && process < share.end()).findFirst()
                .orElseThrow();
    }

    /** The first of the node. */
    @Override
    protected int rank(int process) {
        return layout().firstRank(shareOf(process).first());
    }

    /** Host and ranks of the node. */
    @Override
    protected String place(int process) {
        return shareOf(process).host() + " " + shareOf(process).ranks();
    }

    @Override
    public void endNow() {
        agents.forEach(NodeAgent::release);
        agents.forEach(NodeAgent::removeTraces);
        long deadlineNs = System.nanoTime() + RELEASE_MS * 1_000_000;
        try {
            for (NodeAgent agent : agents) {
                agent.awaitExit(unreachable.contains(agent) ? System.nanoTime() : deadlineNs);
            }
            for (NodeAgent agent : lost) {
                if (!agent.directory().isEmpty()) {
                    removeDirectory(agent);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** A killed agent has left it. */
    private void removeDirectory(NodeAgent agent) throws InterruptedException {
        List<String> command = new ArrayList<>(agent.remote());
        command.add("sh");
        try {
            Process shell = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            try (var to = shell.outputWriter()) {
                to.write("d=" + RemoteShell.quote(agent.directory()) + "; rm -rf -- \"$d\"\n");
            }
            if (!shell.waitFor(CLEAN_MS, TimeUnit.MILLISECONDS)) {
                shell.destroyForcibly();
            }
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, () -> agent.directory() + " stays on "
                    + agent.share().host(), e);
        }
    }

    @Override
    public void ended(NodeAgent agent) {
        add(new Event.Ended(agent));
    }

    @Override
    public void failed(NodeAgent agent, int exitCode, String why) {
        add(new Event.Failed(agent, exitCode, why));
    }

    @Override
    public void lost(NodeAgent agent, String why) {
        add(new Event.Lost(agent, why));
    }

    @Override
    public void nodeJoined(int first, int end, String place) {
        add(new Event.Joined(first));
    }

    @Override
    public void nodeLeft(int first, int end, String place) {
        add(new Event.Gone(first));
    }

    @Override
    public void joined(int process) {
        broken(process, "a JVM has come without its node's agent");
    }

    @Override
    public void left(int process) {
        options.log(layout().describe(process) + " is done");
    }

    @Override
    public void disconnected(int process) {
        options.log(layout().describe(process) + " has disconnected");
    }

    @Override
    public void broken(int process, String why) {
        add(new Event.Broken(process, why));
    }
}
