"""FakeConvert against OpenVINO and against the formula: `python -m fakeconvert COMMAND --help`."""

import argparse
import itertools
import sys


def _cases(options):
    """Every Nth case of a type, starting with the Kth."""
    from fakeconvert import cases

    turn, turns = map(int, options.shard.split("/"))
    chosen = list(cases.every(options.full, options.seed))
    return [
        c
        for name in options.types
        for c in [c for c in chosen if c.type == name][turn - 1 :: turns]
    ]


def _groups(chosen, most):
    """Groups of cases with one type."""
    for _, of_type in itertools.groupby(chosen, key=lambda c: c.type):
        of_type = list(of_type)
        for start in range(0, len(of_type), most):
            yield of_type[start : start + most]


def _model(options):
    """The rules against OpenVINO."""
    from fakeconvert import compare, data, models, semantics

    openvino = models.OpenVino()
    print(openvino)
    comparison = compare.Comparison(openvino.quirks)
    for group in _groups(_cases(options), options.nodes):
        datas = [data.make(case) for case in group]
        model, inputs = models.build(group, datas)
        plugin = openvino.run(model, group, inputs)
        reference = openvino.evaluate(model, group, inputs, datas)
        for case, made, *answers in zip(group, datas, plugin, reference, strict=True):
            operands = (case.type, case.destination, made.x, made.scale, made.shift, case.origin)
            for mode, answer in zip(semantics.MODES[1:], answers, strict=True):
                found = semantics.evaluate(
                    case.arithmetic(mode), *operands, openvino.quirks(mode, case)
                )
                comparison.check("rules", mode, case, made, answer, found)
    return comparison.finish()


def _run(options):
    """The tools against OpenVINO and against the formula."""
    from fakeconvert import models, semantics, tools

    openvino = models.OpenVino()
    print(openvino)
    driver = tools.Tools(openvino, options.tools, options.work)
    chosen = _cases(options)
    for turn, mode in enumerate(semantics.MODES):
        # Without `full`, each case runs in one mode. Another seed selects another mode.
        due = [c for i, c in enumerate(chosen) if options.full or (i + options.seed) % 3 == turn]
        for group in _groups(due, options.nodes):
            driver.run(group, mode, options.targets)
    return driver.finish()


def _shapes(options):
    """The nodes that OpenVINO and quant-float-check accept."""
    from fakeconvert import rejects

    judge = rejects.Judge(options.tools, options.work)
    for probe in rejects.every():
        judge.judge(probe)
    return judge.finish()


def main():
    from fakeconvert.semantics import TYPES

    parser = argparse.ArgumentParser(prog="fakeconvert", description=__doc__)
    commands = parser.add_subparsers(required=True)
    model = commands.add_parser("model", help="the rules against OpenVINO")
    model.set_defaults(run=_model)
    run = commands.add_parser("run", help="the tools against OpenVINO and the formula")
    run.set_defaults(run=_run)
    shapes = commands.add_parser("shapes", help="what OpenVINO and quant-float-check accept")
    shapes.set_defaults(run=_shapes)
    for command in (run, shapes):
        command.add_argument("tools", help="where the tools are")
        command.add_argument("work", help="an empty folder")
    run.add_argument("--targets", nargs="+", default=("cpu", "reference"))
    for command in (model, run):
        command.add_argument("--shard", default="1/1", help="K/N: each Nth node from the Kth on")
        command.add_argument("--types", nargs="+", default=TYPES, choices=TYPES)
        command.add_argument(
            "--nodes", type=int, default=12, help="the maximum number of nodes in a model"
        )
        command.add_argument("--seed", type=int, default=0, help="other values")
        command.add_argument("--full", action="store_true", help="every kind of value")
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
