package org.pgas4j.launch;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.pgas4j.PgasKey;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Coordinator;
import org.pgas4j.bootstrap.CoordinatorOptions;
import org.pgas4j.bootstrap.JobSecret;

/**
 * A job on several hosts: an agent on each starts its JVMs and watches them; this one watches the agents. Failures
 * travel between the coordinators, output and ends through the agents' pipes.
 */
final class HostsRun implements JobRun.Part, NodeAgent.Listener {

    /** Time an agent has for each step of its start, unless ranks may wait for longer. */
    private static final long START_MS = 30_000;
    /** Beyond what an agent needs to end its JVMs. */
    private static final long MARGIN_MS = 3_000;
    private static final long RELEASE_MS = 5_000;
    /** What an agent has to say that its JVMs have ended once nothing is heard of its node any more: the node may have no power. */
    private static final long SILENT_MS = 4_000;
    private static final long CLEAN_MS = 5_000;

    private sealed interface Event {

        record Ended(NodeAgent agent) implements Event { }

        record Failed(NodeAgent agent, int exitCode, String why) implements Event { }

        record Lost(NodeAgent agent, String why) implements Event { }

        record Joined(int first) implements Event { }

        record Gone(int first) implements Event { }

        record Broken(int process, String why) implements Event { }

        record Aborted() implements Event { }
    }

    private final JobOptions options;
    private final List<NodeShare> shares;
    private final HostOptions hosts;
    private final ClassPath path;
    private final Terminal terminal;
    private final LaunchAddress address;
    private final Escalation escalation;
    private final long startMs;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final List<NodeAgent> running = new ArrayList<>();
    private final List<NodeAgent> joined = new ArrayList<>();
    private final List<NodeAgent> lost = new CopyOnWriteArrayList<>(); // also read by the hook
    private final Map<NodeAgent, Long> silentSinceNs = new HashMap<>();
    private final List<NodeAgent> unreachable = new CopyOnWriteArrayList<>();
    private volatile List<NodeAgent> agents = List.of();
    private Coordinator coordinator;

    HostsRun(JobOptions options, List<NodeShare> shares, HostOptions hosts, ClassPath path, Terminal terminal)
            throws IOException {
        this.options = options;
        this.shares = shares;
        this.hosts = hosts;
        this.path = path;
        this.terminal = terminal;
        this.address = LaunchAddress.of(options.config(), shares);
        this.escalation = new Escalation(options.grace());
        this.startMs = Math.max(START_MS, options.config().duration(PgasKey.TIMEOUT).toMillis());
    }

    @Override
    public CoordinatorOptions meeting(CoordinatorOptions loopback) {
        CoordinatorOptions here = address.listen() == null ? loopback.onAllInterfaces(0)
                : loopback.on(address.listen(), 0);
        boolean tls = CoordinatorOptions.speaksTls(options.config(), here.tls());
        if (!tls && !here.address().isLoopbackAddress()) {
            System.err.println("pgas4j: pgas.tls=off: addresses and keys of memory pass between the hosts in the clear");
        }
        return here.withTls(tls);
    }

    @Override
    public void start(String job) throws IOException {
        options.say("job " + job + " on " + shares.size() + " hosts, which reach this one at " + address.reach());
        AgentPlan plan = new AgentPlan(job, options, path, hosts.java(), hosts.ship());
        agents = shares.stream().map(share -> new NodeAgent(share, hosts.remote(share), plan, terminal, this)).toList();
        for (NodeAgent agent : agents) {
            agent.start();
            running.add(agent);
        }
    }

    @Override
    public void run(String job, Coordinator meeting, JobSecret secret) throws InterruptedException {
        coordinator = meeting;
        for (NodeAgent agent : agents) {
            agent.tell((share, found) -> new AgentRecord(job, secret, address.reach(), meeting.port(),
                    meeting.at(address.reach().getFirst(), "").tls(), share, found.directory(),
                    options.at(AgentPlan.text(found.classPath().all()), found.work())).encode());
        }
        watch();
    }

    private void watch() throws InterruptedException {
        long deadlineNs = options.timeout() == null ? Long.MAX_VALUE : System.nanoTime() + options.timeout().toNanos();
        while (!running.isEmpty()) {
            Event event = events.poll(50, TimeUnit.MILLISECONDS);
            if (event != null) {
                handle(event);
            }
            long now = System.nanoTime();
            if (coordinator.aborted() == null) {
                if (options.timeout() != null && now - deadlineNs >= 0) {
                    abort(Escalation.timedOut(options.timeout()));
                }
                running.stream().filter(agent -> !joined.contains(agent)
                        && now - agent.progressNs() > startMs * 1_000_000).findFirst().ifPresent(agent ->
                        abort(cause(agent, "starting", "its agent has not joined the job within " + startMs
                                + " ms; -v says how far it came", ExitStatus.BOOTSTRAP, false)));
            } else if (escalation.sinceFailureNs(now) > (options.grace().toMillis() + 2 * Escalation.TERM_MS + MARGIN_MS)
                    * 1_000_000) {
                running.forEach(agent -> System.err.println("pgas4j: the agent on " + agent.share().host()
                        + " has not said that its JVMs have ended"));
                lost.addAll(running);
                running.clear();
            } else {
                running.stream().filter(agent -> now - silentSinceNs.getOrDefault(agent, now) > SILENT_MS * 1_000_000).toList()
                        .forEach(this::giveUp);
            }
        }
    }

    private void giveUp(NodeAgent agent) {
        System.err.println("pgas4j: nothing is heard of " + agent.share().host() + "; its JVMs end by themselves if it runs");
        running.remove(agent);
        unreachable.add(agent);
    }

    private void handle(Event event) {
        switch (event) {
            case Event.Ended ended -> {
                running.remove(ended.agent());
                options.say("host " + ended.agent().share().host() + ": all its JVMs have ended");
            }
            case Event.Failed failed -> {
                running.remove(failed.agent());
                abort(cause(failed.agent(), "starting", failed.why(), failed.exitCode(), false));
                failed.agent().release();
            }
            case Event.Lost gone -> {
                running.remove(gone.agent());
                lost.add(gone.agent());
                boolean started = joined.contains(gone.agent());
                abort(cause(gone.agent(), started ? "running" : "starting", (started ? "the node's agent was lost: " : "")
                        + gone.why(), started ? ExitStatus.PEER_LOST : ExitStatus.BOOTSTRAP, started));
            }
            case Event.Joined node -> agents.stream().filter(agent -> agent.share().first() == node.first())
                    .forEach(joined::add);
            case Event.Gone node -> agents.stream().filter(agent -> agent.share().first() == node.first())
                    .forEach(agent -> silentSinceNs.put(agent, System.nanoTime()));
            case Event.Broken broken -> {
                if (coordinator.aborted() == null) {
                    NodeAgent agent = agents.stream().filter(one -> broken.process() >= one.share().first()
                            && broken.process() < one.share().end()).findFirst().orElseThrow();
                    abort(cause(agent, "running", broken.why(), ExitStatus.PEER_LOST, true));
                }
            }
            case Event.Aborted _ -> escalation.failed();
        }
        if (coordinator.aborted() != null) { // who has not joined does not hear of it
            agents.stream().filter(agent -> !joined.contains(agent)).forEach(NodeAgent::release);
        }
    }

    private Abort cause(NodeAgent agent, String phase, String what, int exitCode, boolean peerLost) {
        NodeShare share = agent.share();
        return new Abort(options.layout().firstRank(share.first()), share.host() + " " + share.ranks(), phase,
                what.lines().findFirst().orElse(""), exitCode, peerLost);
    }

    private void abort(Abort cause) {
        coordinator.abort(cause);
        escalation.failed();
    }

    @Override
    public void endNow() {
        agents.forEach(NodeAgent::release);
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
        events.add(new Event.Ended(agent));
    }

    @Override
    public void failed(NodeAgent agent, int exitCode, String why) {
        events.add(new Event.Failed(agent, exitCode, why));
    }

    @Override
    public void lost(NodeAgent agent, String why) {
        events.add(new Event.Lost(agent, why));
    }

    @Override
    public void nodeJoined(int first, int end, String place) {
        events.add(new Event.Joined(first));
    }

    @Override
    public void nodeLeft(int first, int end, String place) {
        events.add(new Event.Gone(first));
    }

    @Override
    public void joined(int process) {
        broken(process, "a JVM has come without its node's agent");
    }

    @Override
    public void left(int process) {
        options.say(options.layout().describe(process) + " is done");
    }

    @Override
    public void disconnected(int process) {
        options.say(options.layout().describe(process) + " has gone");
    }

    @Override
    public void broken(int process, String why) {
        events.add(new Event.Broken(process, why));
    }

    @Override
    public void aborted(Abort cause) {
        events.add(new Event.Aborted());
    }
}
