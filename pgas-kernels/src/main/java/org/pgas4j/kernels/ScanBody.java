package org.pgas4j.kernels;

/** The part of a kernel that scans: its parameters, and the call of pgas_scan.cuh with functions of values and of two of them. */
final class ScanBody {

    private ScanBody() {
    }

    /** Declarations of the kernel's parameters. */
    static String parameters(KernelForm form) {
        String type = form.combined();
        return ", pgas_scan scan, " + type + " *parts, " + type + " first";
    }

    /**
     * The statements.
     *
     * @param call of the body, with {@code i} or with {@code a} and {@code b}
     * @param site number of the kernel's place, for elements out of reach
     */
    static String text(KernelForm form, String call, int site) {
        String type = form.combined();
        String value = form.isOperator() ? "*pgas_at(&source, i, cx, " + site + ")" : "pgas_reduced<TYPE>(" + call + ", scan.op)";
        String combined = form.isOperator() ? call : "pgas_combine(a, b, scan.op)";
        String source = form.isOperator() ? "    pgas_array<TYPE> source;\n    pgas_scan_open(&source, bases, scan.of);\n" : "";
        return (source + """
                    pgas_array<TYPE> into;
                    pgas_scan_open(&into, bases, scan.into);
                    auto value = [&](long long i) -> TYPE { return VALUE; };
                    auto combine = [&](TYPE a, TYPE b) -> TYPE { return COMBINED; };
                    pgas_scan_range<TYPE>(cx, SITE, scan, &into, parts, first, value, combine);
                """).replace("SITE", "" + site).replace("VALUE", value).replace("COMBINED", combined).replace("TYPE", type);
    }
}
