"""Tries the lowerings on every type: a target supports the types that its lowering accepts."""

import re
import subprocess

# The first chips with the instructions of a kind, and one chip before them.
CHIPS = ["sm_75", "sm_89", "sm_90", "sm_100a"]
REMARKS = ["--remarks-filter=quant-float-conversion", "--remark-format=emitRemark"]
REMARK = re.compile(r":(\d+):\d+: remark: \[(Passed|Missed)\] .*Remark=\"(.*)\"")
TO_CPU = [
    "--quant-float-decompose-qdq",
    "--convert-quant-float-to-linalg",
    "--convert-quant-float-to-arith",
    "--quant-float-require-lowered",
]
PIPELINES = ["--quant-float-lower-to-cpu", "--quant-float-lower-to-nvvm=chip=sm_90"]


def run_on_functions(opt, bodies, *options):
    """Runs passes on a module of one function for each (op, operand types, result type), with four
    lines each."""
    text = ""
    for number, (op, types, result) in enumerate(bodies):
        arguments = ", ".join(f"%{i}: {kind}" for i, kind in enumerate(types))
        text += f"func.func @f{number}({arguments}) -> {result} {{\n"
        text += f"  %r = quant_float.{op} : {', '.join(types)} to {result}\n"
        text += f"  return %r : {result}\n}}\n"
    command = [opt, *options, "-o", "/dev/null"]
    answer = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if answer.returncode:
        message = f"{' '.join(options)} refuses what the opset rules allow:\n{answer.stderr}"
        raise RuntimeError(message)
    return answer.stderr


def find_instructions(opt, cases, full):
    """Lowers every case, a name and (op, data type, further types, result type), for CPUs and GPUs.

    For cases with an instruction on NVIDIA GPUs, returns the first chip that has it, and the
    instruction.
    """
    tensors = [
        (op, [f"tensor<?x{data}>", *(f"tensor<{kind}>" for kind in more)], f"tensor<?x{result}>")
        for _, (op, data, more, result) in cases
    ]
    vectors = [
        (op, [f"vector<4x{data}>", *more], f"vector<4x{result}>")
        for _, (op, data, more, result) in cases
    ]
    run_on_functions(opt, tensors, *TO_CPU)
    for pipeline in PIPELINES if full else []:
        run_on_functions(opt, tensors, pipeline)
    found = {}
    for chip in CHIPS:
        remarks = run_on_functions(
            opt, vectors, f"--convert-quant-float-to-nvvm=chip={chip}", *REMARKS
        )
        for line in remarks.splitlines():
            remark = REMARK.search(line)
            if remark and remark[2] == "Passed":
                name = cases[(int(remark[1]) - 1) // 4][0]
                found.setdefault(name, (chip, remark[3].split(" by ")[-1]))
    return found


def is_accepted(opt, op, types, result):
    try:
        run_on_functions(opt, [(op, types, result)])
    except RuntimeError:
        return False
    return True
