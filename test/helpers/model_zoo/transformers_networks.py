"""transformers' networks, from configurations with the given sizes."""

import torch
import transformers

from model_zoo.common import Outputs, export, random_like, seeded


def make(kind, sizes):
    config = getattr(transformers, f"{kind[0]}Config")(**sizes)
    config._attn_implementation = "eager"
    return seeded(lambda: getattr(transformers, f"{kind[0]}{kind[1]}")(config)), config


def tokens(kind, length=64, opset=18, exporter="dynamo", mask=True, **sizes):
    """A network with tokens as inputs: (family, head), with its sizes."""
    module, config = make(kind, sizes)
    inputs = {"input_ids": random_like((1, length), "int64", high=config.vocab_size)}
    if mask:
        inputs["attention_mask"] = torch.ones((1, length), dtype=torch.int64)
    options = {"use_cache": False} if getattr(config, "use_cache", None) is not None else {}
    if getattr(config, "is_encoder_decoder", False) and kind[1] == "Model":
        inputs["decoder_input_ids"] = random_like((1, length // 2), "int64", high=config.vocab_size)
    return export(Outputs(module, keywords=list(inputs), **options), inputs, opset, exporter)


def features(kind, name, shape, opset=18, exporter="dynamo", **sizes):
    """A network with pixels or samples as inputs: the input's name and shape."""
    module, _ = make(kind, sizes)
    return export(Outputs(module, keywords=[name]), {name: random_like(shape)}, opset, exporter)
