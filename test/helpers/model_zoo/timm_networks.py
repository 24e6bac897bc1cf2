"""timm's networks."""

import timm

from model_zoo.common import Outputs, export, random_like, seeded


def classifier(name, size=224, opset=18, exporter="dynamo", half=False, **options):
    # Fused attention has no ONNX operator before opset 23.
    timm.layers.set_fused_attn(False)
    module = seeded(timm.create_model, name, pretrained=False, **options)
    image = random_like((1, 3, size, size))
    if half:
        module, image = module.half(), image.half()
    return export(Outputs(module), {"image": image}, opset, exporter)
