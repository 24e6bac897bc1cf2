"""The generated matrix of quantization nodes: `python -m quantize_matrix COMMAND --help`."""

import argparse
import random
import sys

from quantize_matrix.cases import OPS, VERSIONS


def _oracle(options):
    from quantize_matrix import cases, compare, oracles

    kinds = {o.name: o for o in (oracles.OnnxRuntime, oracles.OnnxReference)}
    comparison = compare.Comparison(kinds[options.name](), options.waivers)
    comparison.run(cases.every(options.full, seed=options.seed))
    return comparison.finish()


def _run(options):
    from quantize_matrix import cases, qdq, tools

    if options.qdq:
        chosen = [c for v in options.versions for c in qdq.build(v, options.full, options.seed)]
        driver = tools.QdqTools(options.tools, options.work, options.cpu, options.full)
    else:
        chosen = list(cases.every(options.full, options.ops, options.versions, options.seed))
        driver = tools.Tools(options.tools, options.work, options.cpu, options.full)
    # Shuffled, because a stride through the original order would never include some combinations.
    random.Random(1).shuffle(chosen)
    turn, turns = map(int, options.shard.split("/"))
    for batch in tools.batches(chosen[turn - 1 :: turns], options.nodes):
        driver.run(batch)
    return driver.finish()


def _reject(options):
    from quantize_matrix import rejects, tools

    driver = tools.RejectTools(options.tools, options.work)
    chosen = rejects.every(options.ops, options.versions)
    for batch in tools.batches(chosen, options.nodes):
        driver.run(batch)
    for one in rejects.declared():
        driver.run([one])
    sizes = tools.SizesTools(options.tools, options.work)
    sizes.run(rejects.wrong_sizes())
    return driver.finish() | sizes.finish()


def main():
    parser = argparse.ArgumentParser(prog="quantize_matrix", description=__doc__)
    commands = parser.add_subparsers(required=True)
    oracle = commands.add_parser("oracle", help="the rules against an independent implementation")
    oracle.add_argument("name", choices=("onnxruntime", "onnx"))
    oracle.add_argument("waivers", help="the table of known differences")
    oracle.set_defaults(run=_oracle)
    run = commands.add_parser("run", help="the tools, compiled and by the Reference, and the rules")
    run.add_argument(
        "--shard", default="1/1", help="K/N: the Kth of N shares of the nodes, shuffled"
    )
    run.add_argument("--qdq", action="store_true", help="quant_float.qdq instead of ONNX nodes")
    run.set_defaults(run=_run)
    reject = commands.add_parser("reject", help="quant-float-check on nodes that a rule forbids")
    reject.set_defaults(run=_reject)
    for command in (run, reject):
        command.add_argument("tools", help="where the tools are")
        command.add_argument("work", help="an empty folder")
        command.add_argument("--ops", nargs="+", default=OPS, choices=OPS)
        command.add_argument("--versions", nargs="+", type=int, default=VERSIONS, choices=VERSIONS)
        # Rejected nodes are not compiled.
        most = 64 if command is run else 256
        command.add_argument(
            "--nodes", type=int, default=most, help="the maximum number of nodes in a model"
        )
    run.add_argument("--cpu", help="compile for this one, and compare nothing else")
    for command in (oracle, run):
        command.add_argument("--seed", type=int, default=0, help="other values")
        command.add_argument("--full", action="store_true", help="every type at every version")
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
