# The data that the benchmarks extract from assembly and from the records of each vendor, and the
# output that they generate: loops, goals, charts and pages.
# RUN: %python %s %src_root
import contextlib
import copy
import io
import pathlib
import re
import sys
import tomllib
import xml.etree.ElementTree as tree

source = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(source / "benchmarks"))
from harness import charts, cpu, goals, loops, pages, records, report, tables  # noqa: E402

# A path of the loop without the block for NaNs, with stores to the stack not counted. A loop that
# streams comes before it, and a masked store after it.
X86 = """
cast.invoke:
	vbroadcastss	.LCPI0_0(%rip), %ymm0
.LBB0_1:
	vmovups	(%rbx,%rax,4), %ymm1
	vmovntdq	%ymm1, (%r15,%rax)
	addq	$32, %rax
	jl	.LBB0_1
.LBB0_2:                                # =>This Inner Loop
	vmovups	(%rbx,%rcx,4), %ymm1
	vmovups	32(%rbx,%rcx,4), %ymm2
	vmovaps	%ymm1, 32(%rsp)                 # 32-byte Spill
	vtestps	%ymm1, %ymm2
	jne	.LBB0_4
.LBB0_3:
	vpackssdw	%ymm2, %ymm1, %ymm1
	vmovdqu	%xmm1, (%r15,%rcx)
	addq	$16, %rcx
	cmpq	%r12, %rcx
	jl	.LBB0_2
.LBB0_5:
	vmovdqu8	%zmm1, (%r15,%rcx) {%k1}
	jl	.LBB0_5
	retq
.LBB0_4:
	vblendvps	%ymm1, %ymm2, %ymm1, %ymm1
	jmp	.LBB0_3
.Lfunc_end0:
"""
loop = loops.find_main(X86, "cast.invoke", 1)
assert (loop.elements, len(loop.code)) == (16, 10), loop
assert loops.find_main(X86, "cast.invoke", 0.5).elements == 32
assert loops.find_main(X86, "other", 1) is None

# The path that multiplies, although the one that divides by rare scales is shorter.
SCALES = """
quantize.invoke:
.LBB0_1:
	vmovups	(%rbx,%rcx,4), %zmm1
	testb	%al, %al
	je	.LBB0_3
	vmulps	%zmm2, %zmm1, %zmm3
	vfnmadd231ps	%zmm4, %zmm3, %zmm1
	vfmadd213ps	%zmm3, %zmm2, %zmm1
.LBB0_2:
	vpmovsdb	%zmm1, (%r15,%rcx)
	addq	$16, %rcx
	cmpq	%r12, %rcx
	jl	.LBB0_1
	retq
.LBB0_3:
	vdivps	%zmm4, %zmm1, %zmm1
	jmp	.LBB0_2
.Lfunc_end0:
"""
loop = loops.find_main(SCALES, "quantize.invoke", 1)
assert "vfmadd213ps\t%zmm3, %zmm2, %zmm1" in loop.code, loop

STORES = {
    "vpmovdb	%zmm1, (%rdi,%rax)": 16,
    "vpmovwb	%zmm1, (%rdi)": 32,
    "vextracti128	$1, %ymm1, 16(%rdi)": 16,
    "vcvtps2ph	$0, %ymm1, (%rdi)": 16,
    "vmovdqu64	%zmm1, (%rdi) {%k1}": 64,
    "vmovq	%xmm1, (%rdi)": 8,
    "vaddps	(%rdi), %ymm1, %ymm2": 0,
    "cmpq	%rax, (%rdi)": 0,
    "str	q6, [x22, x12]": 16,
    "stp	q0, q1, [x0, #32]": 32,
    "str	q0, [sp, #16]": 0,
    "st1	{ v0.16b, v1.16b }, [x0]": 32,
    "st1	{ v0.s }[1], [x0]": 4,
    "st1b	{ z0.s }, p0, [x0]": 4,
}
for code, size in STORES.items():
    got = loops._count_stored([code], [])
    assert got == size, (code, got)
vector = ["vsetivli	zero, 16, e32, m4, ta, ma", "vsetvli	zero, zero, e8, m1, ta, ma"]
assert loops._count_stored(["vse8.v	v8, (a5)"], vector) == 16
longer = ["li	a2, 64", "vsetvli	zero, a2, e8, m4, ta, ma"]
assert loops._count_stored([*longer, "vse16.v	v8, (a5)"], []) == 128

# Pressures follow those of the instructions. If some are equal, all count.
mca = {
    "TargetInfo": {"Resources": ["Zn3FP0", "Zn3FP1", "Zn3Load.\0", "Zn3FPSt"]},
    "CodeRegions": [
        {
            "Instructions": ["a", "b"],
            "SummaryView": {
                "BlockRThroughput": 3.0,
                "DispatchWidth": 6,
                "Iterations": 100,
                "TotaluOps": 600,
            },
            "ResourcePressureView": {
                "ResourcePressureInfo": [
                    {"InstructionIndex": at, "ResourceIndex": index, "ResourceUsage": usage}
                    for at, index, usage in ((0, 2, 9), (2, 0, 2.9), (2, 1, 3.0), (2, 2, 1))
                ]
            },
        }
    ],
}
assert loops.read_bound(mca, 16) == {"cycles_per_32": 6.0, "bound": ["FP0", "FP1"]}
assert [loops.name_resource(n) for n in ("Zn4FP45.\0", "SPRPort05", "ADLPPort04")] == [
    "loads",
    "p5",
    "stores",
]

# Goals: a share below one, a faster peer, and a slow call.
contenders = {"quant-float": {"best_gelems": 5.0}, "jax": {"best_gelems": 6.0}}
row = {"name": "f32_to_e4m3fn", "op": "cast", "from": "f32", "to": "e4m3fn", "elements": 1 << 16}
row["contenders"] = contenders | {"traffic": {"best_gelems": 20.0}}
nans = {**row, "name": "f32_to_e4m3fn_nans", "nans": True}
nans["contenders"] = {"quant-float": {"best_gelems": 1.0}}
call = {**row, "elements": 64, "contenders": {"quant-float": {"best_gelems": 0.5}}}
described = {"flags": ["f16c"], "cpu_vendor": "Intel"}
record = {"targets": ["host"], "machine": described, "rows": [row, nans, call]}
many = {"name": "f32_to_e4m3fn", "tensors": 16, "elements": 1 << 16}
threads = {"rows": [{**many, "one_gelems": 10, "two_gelems": two} for two in (18, 15)]}
machine = records.Machine("intel", {"casts": record}, None, threads)
missed = [outcome.text for outcome in goals.compare(machine) if outcome.is_missed]
assert missed == [
    "f32_to_e4m3fn, 16 x 64 K, two threads to one: 1.50, goal ≥ 1.8",
    "f32 → e4m3fn, 64 K, avx2, share of traffic: 0.25, goal ≥ 0.42",
    "f32 → e4m3fn, 64 K, to jax: 0.83, goal ≥ 1",
    "f32 → e4m3fn, 64, ns of a call: 128.00, goal ≤ 60",
    "f32 → e4m3fn, half NaN, 64 K, avx2, time relative to usual data: 5.00, goal ≤ 2.5",
], missed
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    assert goals.check([machine], {}) == 1
assert "missed: Intel: f32 → e4m3fn, 64 K, to jax: 0.83, goal ≥ 1\n" in printed.getvalue()
assert printed.getvalue().endswith("Intel: 1 of 6 goals are reached\n"), printed.getvalue()

# A vendor's goal applies to that vendor only, and requires a reason.
GOAL = """[sizes]
small = 65536
large = 16777216
[[goal]]
rows = ["f32_to_e4m3fn"]
avx2 = [0.42, 0.85]
# Two ports less.
intel.avx2 = [0.20, 0.80]
"""
for vendor, wanted in (("Intel", 0.20), ("AMD", 0.42)):
    other = {**record, "machine": {**described, "cpu_vendor": vendor}}
    [(_, level, outcome)] = goals.compare_shares(other, goals.parse_goals(GOAL))
    assert (level, outcome.goal) == ("avx2", wanted), outcome
try:
    goals.parse_goals(GOAL.replace("# Two ports less.\n", ""))
    raise AssertionError("a goal of one vendor without a reason")
except ValueError as error:
    assert "reason for 'intel.avx2 = [0.20, 0.80]'" in str(error), error
names = {row["name"] for row in tomllib.loads((source / "benchmarks/rows.toml").read_text())["row"]}
for goal in goals.read_goals()["goal"]:
    assert names.issuperset(goal["rows"]), goal["rows"]

# Parts of pages are replaced, and must exist.
assert pages.replace_part("a<!-- x -->old<!-- end x -->b", "x", "new") == (
    "a<!-- x -->\n\nnew\n\n<!-- end x -->b"
)
try:
    pages.replace_part("a", "x", "new")
    raise AssertionError("a part that does not exist")
except ValueError as error:
    assert "no place for 'x'" in str(error)

assert pages.replace_part("  # x\n  # end x\n", "x", "  - y\n", style="  # {}") == (
    "  # x\n\n  - y\n\n  # end x\n"
)

# The kind of CPU of a record: the vendor, and whether it has AVX-512.
assert records.record_path("casts", "Intel") == source / "benchmarks/results/intel/casts.json"
assert records.record_path("casts", "Some Vendor").parent.name == "some-vendor"
own = records.record_path("casts")
assert own == records.record_path("casts", cpu.name_kind())
assert own.parent.name.removesuffix("-avx2") == cpu.describe_cpu()["vendor"].lower()
assert records.record_path("casts", "AMD AVX2").parent.name == "amd-avx2"

# The machines are in columns. A value that a record lacks is `-`, as is a machine without a record
# of the kind.
[first, *_] = records.read_machines()
second = records.Machine("intel", copy.deepcopy(first.records), None, None)
for copied in second.records.values():
    copied["machine"]["cpu_vendor"] = "Intel"
    copied["rows"] = [row for row in copied["rows"] if row["name"] != "f32_to_e4m3fn"]
both = [first, second]
heads, _, line, *_ = pages.write_first_page(both).splitlines()
assert heads == f"|  | {first.name} | best peer | Intel | best peer |", heads
assert re.fullmatch(r"\| f32 to f8E4M3FN \| [\d.]+ \| \w+ [\d.]+(?: \| -){2} \|", line), line
lines = pages.write_goals(both).splitlines()
columns = f"{first.name}, AVX-512 | Intel, AVX-512 | {first.name}, AVX2 | Intel, AVX2"
assert lines[:3:2] == ["64 K elements:", f"| row | {columns} |"], lines
cells = r"\*{0,2}[\d.]+\*{0,2} / [\d.]+ \| -"
assert re.fullmatch(rf"\| f32 → e4m3fn \| {cells} \| {cells} \|", lines[4]), lines[4]
lines = pages.write_data(both).splitlines()
assert lines[0] == f"| row | at most | {columns} |", lines[0]
assert 'src="charts/intel/casts-16M.svg"' in pages.write_charts(both)
assert "- Intel:\n          - benchmarks/results/intel/casts.md" in pages.write_navigation(both)
assert pages.write_memory([second]) == pages.write_threads([second]) == pages.MISSING
sizes = [
    {**row, "elements": count << 20, "contenders": {n: {"best_gelems": s} for n, s in speeds}}
    for count, speeds in ((4, [("quant-float", 9), ("traffic", 10), ("traffic (nt)", 12)]),)
    for row in [record["rows"][0]]
]
memory = {"title": "Memory-bound sizes", "targets": ["host"], "machine": described, "rows": sizes}
shown = pages.write_memory([records.Machine("intel", {}, memory, None)])
assert shown.endswith("| f32 → e4m3fn | 0.75 | - | - | - |"), shown


# Records of the other scripts: a contender or network without a result has none in the table.
ours = {"ms": 0.5, "error": 5e-4}
matmul = {"size": "8x8", "product": "Gemm", "threads": 1}
matmul["contenders"] = {"quant-float (host, int8)": ours, "A": ours, "B": {"refused": "no such op"}}
written = tables.write_matmuls({"rows": [matmul, {**matmul, "threads": 2}]})
assert written.splitlines()[::2] == [
    "| 8x8 | host, int8 | A | B |",
    "| Gemm | 0.50 | 0.50 (error 5e-04) | - |",
], written
zoo = {"over": {"host": 0.5}, "ms": {"ONNX Runtime": 2}, "compile_s": 1, "peak_mib": 9, "off": 1e-6}
written = tables.write_model_zoo({"networks": {"a": zoo, "b": {"skipped": "no package"}}})
assert written.splitlines()[2:] == [
    "| a | 0.5 | 2 | 1 | 9 | 1e-06 |",
    "| b | no package |  |  |  |  |",
]


# The versions of peers are those of the tests.
def read_versions(name):
    lines = (source / name).read_text().splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


peers = read_versions("benchmarks/requirements.txt")
for name in ("scripts/requirements.txt", "scripts/requirements-iree.txt"):
    for package, version in read_versions(name).items():
        assert peers.get(package, version) == version, (name, package)

# The committed pages are generated from the committed records.
written = {}
pages.publish(lambda path, text: written.__setitem__(path, text), survey_again=False)
assert len(written) >= 11, written.keys()
for path, text in written.items():
    assert path.read_text() == text, f"run benchmarks/run --publish: {path.name} is old"
    if path.suffix == ".svg":
        root = tree.fromstring(text)
        assert root.get("aria-label") and "prefers-color-scheme:dark" in text, path
assert charts.draw_chart and report.size_name(1 << 24) == "16 M"
