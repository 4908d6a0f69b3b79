"""Measures NCCL and PyTorch's symmetric memory for `scripts/bench peers`: one process and one GPU for each rank.

    python3 torch_peers.py RANKS SECONDS [nccl,symmetric,products]

Rank 0 prints one JSON object per line. All processes end after SECONDS at the latest. Times are those of the GPU, of operations
in CUDA graphs; "bytes" are those of the longer vector of a rank; "wrong" counts elements that arrived wrong at any rank.
NVLink multicast stays off.
"""
import ctypes
import importlib.util
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import warnings

CAPTURED = 50
REPLAYS = 15
WARM_UPS = 10
SIZES = [8, 1 << 10, 8 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20, 64 << 20]
LARGE = 16 << 20
PARTS = ["nccl", "symmetric", "products"]
ORDER = 16384
PR_SET_PDEATHSIG = 1

MULTICAST_OFF = {"NCCL_NVLS_ENABLE": "0", "TORCH_SYMM_MEM_DISABLE_MULTICAST": "1", "NVSHMEM_DISABLE_NVLS": "1"}


def report(fields):
    print(json.dumps(fields), flush=True)


# ---- processes


def start(ranks, seconds, parts):
    """Starts a process for each rank; the first that fails ends the others. Returns the exit status."""
    missing = None
    if importlib.util.find_spec("torch") is None:
        missing = "no Python package torch"
    if missing:
        report({"peer": "nccl", "missing": missing})
        report({"peer": "pytorch", "missing": missing})
        return 0
    with tempfile.TemporaryDirectory(prefix="pgas-peers-") as directory:
        environment = dict(os.environ, **MULTICAST_OFF)
        environment.setdefault("NCCL_SOCKET_IFNAME", "lo")
        environment.setdefault("GLOO_SOCKET_IFNAME", "lo")
        children = [subprocess.Popen([sys.executable, os.path.abspath(__file__), str(ranks), str(seconds), ",".join(parts),
                                      str(rank), os.path.join(directory, "store")], env=environment) for rank in range(ranks)]
        status = 0
        running = {child.pid: child for child in children}
        while running:
            pid, how = os.wait()
            child = running.pop(pid, None)
            if child is None:
                continue
            code = os.waitstatus_to_exitcode(how)
            child.returncode = code
            code = 128 - code if code < 0 else code
            if code > 1:
                for other in running.values():
                    other.kill()
            status = status if status > 1 else max(status, code)
    if status == 128 + signal.SIGALRM:
        print(f"not ready after {seconds} s", file=sys.stderr)
    return status


# ---- one rank


class Bench:
    def __init__(self, rank, ranks, store):
        import torch
        import torch.distributed as dist
        self.torch, self.dist = torch, dist
        self.rank, self.ranks = rank, ranks
        self.device = torch.device("cuda", rank)
        self.failed = False
        torch.cuda.set_device(self.device)
        dist.init_process_group("nccl", init_method="file://" + store, rank=rank, world_size=ranks, device_id=self.device)
        self.group = dist.group.WORLD.group_name
        self.stream = torch.cuda.Stream()

    def tell(self, fields):
        if self.rank == 0:
            report(fields)

    def wrong_at_all(self, wrong):
        total = self.torch.tensor([int(wrong)], device=self.device, dtype=self.torch.int64)
        self.dist.all_reduce(total)
        return int(total.item())

    def agree(self, error):
        """Whether all ranks could; otherwise rank 0 tells why."""
        failed = self.wrong_at_all(error is not None)
        return failed == 0

    def row(self, peer, op, form, kind, size, times, batch, wrong, **more):
        self.failed = self.failed or wrong != 0
        self.tell({"peer": peer, "op": op, "form": form, "type": kind, "bytes": size,
                   "p50_us": round(statistics.median(times), 4), "mean_us": round(statistics.fmean(times), 4),
                   "samples": len(times), "batch": batch, "wrong": wrong, **more})

    def values(self, count, dtype, of, start=0):
        """Small whole numbers, of which every type holds the sums exactly."""
        return ((self.torch.arange(start, start + count, device=self.device) % 17) + of).to(dtype)

    def sums(self, count, dtype, start=0):
        plain = self.torch.arange(start, start + count, device=self.device) % 17
        return (plain * self.ranks + self.ranks * (self.ranks - 1) // 2).to(dtype)

    def in_graph(self, operation, size):
        """Microseconds of an operation, one value for each replay of a graph of many."""
        torch = self.torch
        with torch.cuda.stream(self.stream):
            for _ in range(3):
                operation()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            for _ in range(CAPTURED):
                operation()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        times = []
        with torch.cuda.stream(self.stream):
            for replay in range(-WARM_UPS, 5 if size >= LARGE else REPLAYS):
                self.meet()
                begin.record()
                graph.replay()
                end.record()
                end.synchronize()
                if replay >= 0:
                    times.append(begin.elapsed_time(end) * 1e3 / CAPTURED)
        torch.cuda.synchronize()
        return times

    def meet(self):
        """All ranks' streams are here afterwards."""
        self.dist.all_reduce(self.token)

    def measure(self, peer, op, form, kind, size, prepare, operation, check):
        """Checks the result of one operation, then measures it; a form that does not exist here is named."""
        torch = self.torch
        error, wrong = None, 0
        try:
            prepare()
            result = operation()
            torch.cuda.synchronize()
            wrong = check(result)
        except (RuntimeError, AttributeError, TypeError, NotImplementedError) as e:
            error = str(e).splitlines()[0][:160]
        if not self.agree(error):
            self.tell({"peer": peer, "missing": f"{op} {form} of {size} bytes {kind}: {error}"})
            return
        wrong = self.wrong_at_all(wrong)
        prepare()
        torch.cuda.synchronize()
        self.row(peer, op, form, kind, size, self.in_graph(operation, size), CAPTURED, wrong)

    def differ(self, result, expected):
        return int((result != expected).sum().item())

    # ---- NCCL

    def nccl(self):
        torch, dist = self.torch, self.dist
        self.tell({"peer": "nccl", "version": ".".join(str(part) for part in torch.cuda.nccl.version()),
                   "device": torch.cuda.get_device_name()})
        for size in SIZES:
            for kind, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
                count = size // dtype.itemsize
                vector = torch.empty(count, dtype=dtype, device=self.device)
                self.measure("nccl", "allReduce", "graph", kind, size, lambda: vector.copy_(self.values(count, dtype, self.rank)),
                             lambda: dist.all_reduce(vector), lambda _: self.differ(vector, self.sums(count, dtype)))
            dtype = torch.float32
            count = size // 4
            part = count // self.ranks
            whole = torch.empty(count, dtype=dtype, device=self.device)
            other = torch.empty(count, dtype=dtype, device=self.device)
            piece = torch.empty(part, dtype=dtype, device=self.device)
            mine = lambda: whole.copy_(self.values(count, dtype, self.rank))
            self.measure("nccl", "broadcast", "graph", "f32", size, mine, lambda: dist.broadcast(whole, 0),
                         lambda _: self.differ(whole, self.values(count, dtype, 0)))
            if count % self.ranks:
                self.tell({"peer": "nccl", "missing": f"reduceScatter, allGather and exchange of {size} bytes: not the same number"
                                                      f" of elements for each of {self.ranks} processes"})
                continue
            self.measure("nccl", "reduceScatter", "graph", "f32", size, mine, lambda: dist.reduce_scatter_tensor(piece, whole),
                         lambda _: self.differ(piece, self.sums(part, dtype, self.rank * part)))
            self.measure("nccl", "allGather", "graph", "f32", size, lambda: piece.copy_(self.values(part, dtype, self.rank)),
                         lambda: dist.all_gather_into_tensor(whole, piece), lambda _: self.differ(
                             whole, torch.cat([self.values(part, dtype, of) for of in range(self.ranks)])))
            self.measure("nccl", "exchange", "graph", "f32", size, mine, lambda: dist.all_to_all_single(other, whole),
                         lambda _: self.differ(other, torch.cat(
                             [self.values(part, dtype, of, self.rank * part) for of in range(self.ranks)])))

    # ---- symmetric memory

    def symmetric(self):
        import torch.distributed._symmetric_memory as memory
        torch = self.torch
        self.tell({"peer": "pytorch", "version": torch.__version__, "device": torch.cuda.get_device_name()})
        ops = torch.ops.symm_mem
        for kind, dtype in (("bf16", torch.bfloat16), ("f32", torch.float32)):
            whole = memory.empty(SIZES[-1] // dtype.itemsize, dtype=dtype, device=self.device)
            memory.rendezvous(whole, self.group)
            out = torch.empty_like(whole)
            for size in SIZES:
                count = size // dtype.itemsize
                vector, result = whole[:count], out[:count]
                fill = lambda: vector.copy_(self.values(count, dtype, self.rank))
                if size <= 8 << 20:
                    self.measure("pytorch", "allReduce", "one-shot", kind, size, fill,
                                 lambda: ops.one_shot_all_reduce_out(vector, "sum", self.group, result),
                                 lambda _: self.differ(result, self.sums(count, dtype)))
                self.measure("pytorch", "allReduce", "two-shot", kind, size, fill,
                             lambda: ops.two_shot_all_reduce_(vector, "sum", self.group),
                             lambda _: self.differ(vector, self.sums(count, dtype)))

    # ---- products

    def timed(self, operation):
        """Microseconds of an operation, one value for each of some batches."""
        torch = self.torch
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        times = []
        for sample in range(-1, 5):
            self.meet()
            begin.record()
            for _ in range(3):
                operation()
            end.record()
            end.synchronize()
            if sample >= 0:
                times.append(begin.elapsed_time(end) * 1e3 / 3)
        return times

    def whole_numbers(self, matrix):
        """1 and -1, and so many zeros that sums of ORDER products are exact in bfloat16: below 256, 8 standard deviations."""
        torch = self.torch
        taken = torch.rand(matrix.shape, device=self.device) * 8 * ORDER ** 0.5 <= 256
        matrix.copy_((torch.randint(0, 2, matrix.shape, device=self.device) * 2 - 1) * taken)

    def product(self, operands, variants):
        """Compares the results of whole numbers with that of the first variant, then times all variants with random numbers."""
        torch = self.torch
        for matrix in operands:
            self.whole_numbers(matrix)
        reference, checked = None, []
        for peer, op, form, operation in variants:
            error, wrong = None, 0
            try:
                result = operation()
                reference = result.clone() if reference is None else reference
                wrong = self.differ(result, reference)
            except (RuntimeError, AttributeError, TypeError, NotImplementedError) as e:
                error = str(e).splitlines()[0][:160]
            if self.agree(error):
                checked.append((peer, op, form, operation, self.wrong_at_all(wrong)))
            else:
                self.tell({"peer": peer, "missing": f"{op} {form}: {error}"})
        del reference
        for matrix in operands:
            matrix.normal_()
        for peer, op, form, operation, wrong in checked:
            times = self.timed(operation)
            rate = 2.0 * ORDER ** 3 / self.ranks / statistics.median(times) / 1e6
            self.row(peer, op, form, "bf16", ORDER * ORDER // self.ranks * 2, times, 3, wrong, tflops=round(rate, 1))

    def products(self):
        torch, dist = self.torch, self.dist
        import torch.distributed._symmetric_memory as memory
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer versions need no such call, and say so
            memory.enable_symm_mem_for_group(self.group)
        torch.manual_seed(self.rank + 1)
        part = ORDER // self.ranks
        matrix = lambda rows, columns: torch.empty(rows, columns, device=self.device, dtype=torch.bfloat16)
        ops = torch.ops.symm_mem

        shard, right, gathered, result = matrix(part, ORDER), matrix(ORDER, part), matrix(ORDER, ORDER), matrix(ORDER, part)

        def gather_then_product():
            dist.all_gather_into_tensor(gathered, shard)
            return torch.matmul(gathered, right, out=result)

        self.product([shard, right], [
            ("nccl", "gather and product", "one after the other", gather_then_product),
            ("cublas", "product alone", "local", lambda: torch.matmul(gathered, right, out=result)),
            ("pytorch", "gather and product", "fused",
             lambda: ops.fused_all_gather_matmul(shard, [right], 0, self.group)[1][0])])
        del shard, right, gathered, result

        left, right, full, scattered = matrix(ORDER, part), matrix(part, ORDER), matrix(ORDER, ORDER), matrix(part, ORDER)

        def product_then_scatter():
            torch.matmul(left, right, out=full)
            dist.reduce_scatter_tensor(scattered, full)
            return scattered

        self.product([left, right], [
            ("nccl", "product and scatter", "one after the other", product_then_scatter),
            ("pytorch", "product and scatter", "fused",
             lambda: ops.fused_matmul_reduce_scatter(left, right, "sum", 0, self.group))])

    def run(self, parts):
        self.token = self.torch.zeros(1, device=self.device)
        self.meet()
        self.torch.cuda.synchronize()
        for part in parts:
            getattr(self, part)()
        self.torch.cuda.synchronize()
        return 1 if self.failed else 0


def main(arguments):
    ranks, seconds = int(arguments[0]), int(arguments[1])
    parts = arguments[2].split(",") if len(arguments) > 2 else PARTS
    if len(arguments) <= 3:
        return start(ranks, seconds, parts)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.alarm(seconds)
    rank = int(arguments[3])
    import torch
    if torch.cuda.device_count() < ranks:
        if rank == 0:
            for peer in ("nccl", "pytorch"):
                report({"peer": peer, "missing": f"a GPU for each rank: {torch.cuda.device_count()} for {ranks}"})
        return 0
    status = Bench(rank, ranks, arguments[4]).run(parts)
    sys.stdout.flush()
    os._exit(status)  # a communicator's end would wait for the others


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
