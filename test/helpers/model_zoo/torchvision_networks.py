"""torchvision's networks."""

import torch
import torchvision

from model_zoo.common import Outputs, export, random_like, seeded

models = torchvision.models


def classifier(name, size=224, opset=17, exporter="dynamo", **options):
    module = seeded(models.get_model, name, weights=None, **options)
    return export(Outputs(module), {"image": random_like((1, 3, size, size))}, opset, exporter)


def segmentation(name, size=128, opset=18, exporter="dynamo"):
    module = seeded(models.get_model, name, weights=None, weights_backbone=None)
    return export(
        Outputs(module, ["out"]), {"image": random_like((1, 3, size, size))}, opset, exporter
    )


def detector(name, size=320, opset=17, **options):
    """Boxes, labels and scores after NonMaxSuppression, as in torchvision's own exporter tests."""
    module = seeded(models.get_model, name, weights=None, weights_backbone=None, **options)

    class One(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = module

        def forward(self, image):
            (found,) = self.module([image])
            return tuple(found.values())

    image = torch.sigmoid(random_like((3, size, size)))
    return export(One().eval(), {"image": image}, opset, "script")


def video(name, frames=8, size=64, opset=18):
    module = seeded(models.get_model, name, weights=None)
    return export(Outputs(module), {"video": random_like((1, 3, frames, size, size))}, opset)


def optical_flow(name, size=128, opset=18):
    module = seeded(models.get_model, name, weights=None)
    images = {key: random_like((1, 3, size, size)) for key in ("first", "second")}
    return export(Outputs(module, num_flow_updates=2), images, opset)
