package org.pgas4j.launch.doctor;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.fastpath.conduit.ucx.UcxReport;

/** UCX and its transports, for jobs on several nodes. */
final class UcxCheck implements Check {

    @Override
    public String name() {
        return "UCX";
    }

    @Override
    public List<Verdict> run() {
        return judge(UcxReport.of(), Sources.hasRdma());
    }

    /** @param rdma whether this machine has network cards for RDMA */
    static List<Verdict> judge(UcxReport report, boolean rdma) {
        if (report.missing() != null) {
            int fix = report.missing().lastIndexOf("; ");
            return List.of(Verdict.warn("UCX", fix < 0 ? report.missing() : report.missing().substring(0, fix),
                    "for jobs on several nodes: " + (fix < 0 ? "install it" : report.missing().substring(fix + 2))));
        }
        List<Verdict> verdicts = new ArrayList<>();
        String found = report.version() + ", transports " + String.join(", ", report.transports());
        if (!report.transports().contains("tcp")) {
            verdicts.add(Verdict.warn("UCX", found, "for jobs on several nodes: bring a network interface up; "
                    + String.join("; ", report.refused())));
        } else {
            verdicts.add(Verdict.ok("UCX", found));
        }
        if (rdma && !report.transports().contains("rc")) {
            verdicts.add(Verdict.warn("RDMA", report.refused().stream().filter(line -> line.startsWith("rc"))
                    .findFirst().orElse("rc not tried"),
                    "let this process open /dev/infiniband/uverbs*, and see whether ibv_devinfo says PORT_ACTIVE"));
        }
        return verdicts;
    }
}
