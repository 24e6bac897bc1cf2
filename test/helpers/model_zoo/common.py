"""Shared by the builders: seeded random weights, and export to ONNX."""

import contextlib
import io
import logging
import warnings

import onnx
import torch

SEED = 40


def seeded(make, *arguments, **options):
    """A module with random weights. All are replaced, because some libraries initialize all
    elements to one value."""
    torch.manual_seed(SEED)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        module = make(*arguments, **options)
    generator = torch.Generator().manual_seed(SEED)

    def normal(tensor, mean, deviation):
        tensor.copy_(mean + deviation * torch.randn(tensor.shape, generator=generator))

    with torch.no_grad():
        for name, tensor in (*module.named_parameters(), *module.named_buffers()):
            if not tensor.is_floating_point() or not tensor.numel():
                continue
            if name.endswith("running_var"):
                tensor.copy_(0.5 + torch.rand(tensor.shape, generator=generator))
            elif name.endswith("running_mean"):
                normal(tensor, 0, 0.1)
            elif isinstance(tensor, torch.nn.Parameter) and torch.all(
                tensor == tensor.flatten()[0]
            ):
                normal(tensor, tensor.flatten()[0].item(), 0.05)
    return module.eval()


def random_like(shape, kind="float32", high=2, low=0):
    generator = torch.Generator().manual_seed(SEED + 1)
    if kind.startswith("int"):
        return torch.randint(low, high, shape, generator=generator, dtype=getattr(torch, kind))
    return torch.randn(shape, generator=generator).to(getattr(torch, kind))


def export(module, inputs, opset, exporter="dynamo", dynamic=None):
    """The module as an ONNX model of this opset, and the values of its inputs by name.

    `exporter` is torch's "dynamo" or the older "script". `dynamic` contains the dynamic axes of
    inputs by their names.
    """
    stream, names = io.BytesIO(), list(inputs)
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        torch.no_grad(),
    ):
        options = {"input_names": names, "opset_version": opset, "dynamo": exporter == "dynamo"}
        if exporter == "dynamo":
            if dynamic:
                options["dynamic_shapes"] = tuple(dynamic.get(name) for name in names)
            program = torch.onnx.export(module, tuple(inputs.values()), verbose=False, **options)
            model = program.model_proto
        else:
            if dynamic:
                options["dynamic_axes"] = dynamic
            torch.onnx.export(module, tuple(inputs.values()), stream, **options)
            model = onnx.load_from_string(stream.getvalue())
    kept = {value.name for value in model.graph.input}
    arrays = {name: value.numpy() for name, value in inputs.items() if name in kept}
    return model, arrays


class Outputs(torch.nn.Module):
    """A module whose results are a flat tuple of tensors, whatever the wrapped module returns."""

    def __init__(self, module, names=None, keywords=None, **options):
        super().__init__()
        self.module, self.names, self.keywords, self.options = module, names, keywords, options

    def forward(self, *inputs):
        if self.keywords:
            results = self.module(**dict(zip(self.keywords, inputs, strict=True)), **self.options)
        else:
            results = self.module(*inputs, **self.options)
        return tuple(flatten(results, self.names))


def flatten(results, names=None):
    if isinstance(results, torch.Tensor):
        yield results
    elif isinstance(results, dict) or hasattr(results, "keys"):
        for key in results:
            if names is None or key in names:
                yield from flatten(results[key])
    elif isinstance(results, (list, tuple)):
        for value in results:
            yield from flatten(value)
