"""Networks implemented in torch, following papers and tutorials."""

import torch
import torchvision
from torch import nn
from torch.nn import functional

from model_zoo.common import Outputs, export, random_like, seeded


def largest(x, pooled):
    """The maximum of each channel over all points. Some implementations use a pooling window of the
    size of the cloud."""
    return nn.MaxPool1d(x.shape[-1])(x).flatten(1) if pooled else torch.max(x, 2)[0]


class Transform(nn.Module):
    """PointNet's transform of its points or features: a square matrix for each cloud."""

    def __init__(self, size, pooled):
        super().__init__()
        self.size, self.pooled = size, pooled
        widths = (size, 64, 128, 1024)
        self.shared = nn.Sequential(*(part for a, b in zip(widths, widths[1:], strict=False) for part in (nn.Conv1d(a, b, 1), nn.BatchNorm1d(b), nn.ReLU())))  # fmt: skip
        self.dense = nn.Sequential(nn.Linear(1024, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Linear(512, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, size * size))  # fmt: skip

    def forward(self, x):
        x = self.dense(largest(self.shared(x), self.pooled))
        return x.view(-1, self.size, self.size) + torch.eye(self.size)


class PointNet(nn.Module):
    """Classification of point clouds: Qi et al., 2017."""

    def __init__(self, pooled, classes=40):
        super().__init__()
        self.pooled = pooled
        self.points, self.features = Transform(3, pooled), Transform(64, pooled)
        self.first = nn.Sequential(nn.Conv1d(3, 64, 1), nn.BatchNorm1d(64), nn.ReLU())
        self.rest = nn.Sequential(nn.Conv1d(64, 128, 1), nn.BatchNorm1d(128), nn.ReLU(), nn.Conv1d(128, 1024, 1), nn.BatchNorm1d(1024))  # fmt: skip
        self.head = nn.Sequential(nn.Linear(1024, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Linear(512, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, classes))  # fmt: skip

    def forward(self, x):
        x = torch.bmm(x.transpose(2, 1), self.points(x)).transpose(2, 1)
        x = self.first(x)
        x = torch.bmm(x.transpose(2, 1), self.features(x)).transpose(2, 1)
        return functional.log_softmax(self.head(largest(self.rest(x), self.pooled)), dim=1)


def pointnet(points=1024, opset=17, exporter="dynamo", dynamic=None, pooled=False):
    inputs = {"points": random_like((2 if dynamic else 1, 3, points))}
    return export(seeded(PointNet, pooled), inputs, opset, exporter, dynamic)


class Recurrent(nn.Module):
    """Tokens, one or two recurrent layers, and classes from the last step."""

    def __init__(self, kind, layers, both, classes=16, vocabulary=500, width=64, hidden=128):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = getattr(nn, kind)(width, hidden, layers, batch_first=True, bidirectional=both)
        self.classes = nn.Linear(hidden * (2 if both else 1), classes)

    def forward(self, ids):
        return self.classes(self.layers(self.embed(ids))[0][:, -1])


def recurrent(kind="LSTM", layers=2, both=False, length=32, opset=17, exporter="script"):
    module = seeded(Recurrent, kind, layers, both)
    return export(module, {"ids": random_like((1, length), "int64", high=500)}, opset, exporter)


class Detector(nn.Module):
    """A small backbone, the `top` best cells, RoiAlign of their boxes, and classes for each."""

    def __init__(self, top=200, classes=20):
        super().__init__()
        self.top = top
        steps = ((3, 32), (32, 64), (64, 128))
        self.backbone = nn.Sequential(*(part for a, b in steps for part in (nn.Conv2d(a, b, 3, 2, 1), nn.ReLU())))  # fmt: skip
        self.scores, self.boxes = nn.Conv2d(128, 9, 1), nn.Conv2d(128, 36, 1)
        self.head = nn.Sequential(nn.Linear(128 * 49, 256), nn.ReLU(), nn.Linear(256, classes))

    def forward(self, image):
        x = self.backbone(image)
        scores = self.scores(x).flatten(1)
        boxes = self.boxes(x).reshape(1, 9, 4, -1).permute(0, 1, 3, 2).reshape(1, -1, 4)
        best, index = torch.topk(scores, self.top, 1)
        boxes = torch.gather(boxes, 1, index.unsqueeze(-1).expand(-1, -1, 4))[0]
        corner = torch.sigmoid(boxes[:, :2]) * image.shape[-1] * 0.7
        boxes = torch.cat([corner, corner + 8 + torch.sigmoid(boxes[:, 2:]) * 64], 1)
        regions = torchvision.ops.roi_align(x, [boxes], (7, 7), 1 / 8, 2, True)
        return boxes, best, self.head(regions.flatten(1)).softmax(-1)


def roi_detector(size=320, top=200, opset=17):
    image = random_like((1, 3, size, size))
    return export(seeded(Detector, top), {"image": image}, opset, "script")


class UNet(nn.Module):
    def __init__(self, widths=(16, 32, 64)):
        super().__init__()

        def twice(a, b):
            parts = (nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())
            return nn.Sequential(
                *parts, nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU()
            )

        self.down = nn.ModuleList(twice(a, b) for a, b in zip((3, *widths), widths, strict=False))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(widths, widths[1:], strict=False))  # fmt: skip
        self.join = nn.ModuleList(twice(2 * a, a) for a in widths[:-1])
        self.last = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        kept = []
        for layer in self.down:
            x = layer(functional.max_pool2d(x, 2) if kept else x)
            kept.append(x)
        for level in reversed(range(len(self.up))):
            x = self.join[level](torch.cat([kept[level], self.up[level](x)], 1))
        return self.last(x)


class SuperResolution(nn.Module):
    """ESPCN: convolutions, then DepthToSpace."""

    def __init__(self, factor=3):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh(), nn.Conv2d(32, factor**2, 3, padding=1), nn.PixelShuffle(factor))  # fmt: skip

    def forward(self, x):
        return self.layers(x)


class Style(nn.Module):
    """Johnson's style transfer: reflection padding, instance normalization, nearest upsampling."""

    def __init__(self, width=16):
        super().__init__()

        def layer(a, b, size, stride=1):
            return nn.Sequential(nn.ReflectionPad2d(size // 2), nn.Conv2d(a, b, size, stride), nn.InstanceNorm2d(b, affine=True), nn.ReLU())  # fmt: skip

        self.first = nn.Sequential(layer(3, width, 9), layer(width, 2 * width, 3, 2), layer(2 * width, 4 * width, 3, 2))  # fmt: skip
        self.residual = nn.ModuleList(layer(4 * width, 4 * width, 3) for _ in range(2))
        self.last = nn.Sequential(nn.Upsample(scale_factor=2), layer(4 * width, 2 * width, 3), nn.Upsample(scale_factor=2, mode="bilinear"), layer(2 * width, 3, 9))  # fmt: skip

    def forward(self, x):
        x = self.first(x)
        for layer in self.residual:
            x = x + layer(x)
        return self.last(x)


class Keywords(nn.Module):
    """DS-CNN for keyword spotting: depthwise and pointwise convolutions over a spectrogram."""

    def __init__(self, width=64, classes=12):
        super().__init__()

        def layer(*arguments, **options):
            return nn.Sequential(nn.Conv2d(*arguments, **options), nn.BatchNorm2d(width), nn.ReLU())

        self.layers = nn.Sequential(layer(1, width, (10, 4), 2, (5, 1)), *(part for _ in range(4) for part in (layer(width, width, 3, padding=1, groups=width), layer(width, width, 1))))  # fmt: skip
        self.classes = nn.Linear(width, classes)

    def forward(self, x):
        return self.classes(self.layers(x).mean((2, 3)))


class Spectrogram(nn.Module):
    """Samples to a log spectrogram by a windowed Fourier transform, then a convolution and a
    GRU."""

    def __init__(self, window=256, step=128):
        super().__init__()
        self.window, self.step = window, step
        self.register_buffer("hann", torch.hann_window(window))
        self.conv = nn.Conv1d(window // 2 + 1, 64, 3, padding=1)
        self.gru = nn.GRU(64, 64, batch_first=True, bidirectional=True)
        self.classes = nn.Linear(128, 29)

    def forward(self, samples):
        frames = samples.unfold(1, self.window, self.step) * self.hann
        power = torch.fft.rfft(frames).abs().pow(2)
        x = self.conv(torch.log(power + 1e-4).transpose(1, 2)).relu().transpose(1, 2)
        return self.classes(self.gru(x)[0]).log_softmax(-1)


class WaveNet(nn.Module):
    """Causal dilated convolutions with gates."""

    def __init__(self, width=32, layers=6):
        super().__init__()
        self.first = nn.Conv1d(1, width, 1)
        self.gated = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=2**k) for k in range(layers))  # fmt: skip
        self.mixed = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in range(layers))
        self.last = nn.Conv1d(width, 256, 1)

    def forward(self, x):
        x, total = self.first(x), 0
        for k, (gated, mixed) in enumerate(zip(self.gated, self.mixed, strict=True)):
            a, b = gated(functional.pad(x, (2**k, 0))).chunk(2, 1)
            y = mixed(torch.tanh(a) * torch.sigmoid(b))
            x, total = x + y, total + y
        return self.last(total.relu())


class SpatialTransformer(nn.Module):
    """A network that samples its image at computed positions (GridSample)."""

    def __init__(self):
        super().__init__()
        self.where = nn.Sequential(nn.Conv2d(1, 8, 7), nn.MaxPool2d(2, 2), nn.ReLU(), nn.Conv2d(8, 10, 5), nn.MaxPool2d(2, 2), nn.ReLU(), nn.Flatten(), nn.Linear(90, 6))  # fmt: skip
        self.what = nn.Sequential(nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(10 * 144, 10))  # fmt: skip

    def forward(self, x):
        theta = self.where(x).view(-1, 2, 3) + torch.tensor([[1.0, 0, 0], [0, 1, 0]])
        ys, xs = torch.meshgrid(torch.linspace(-1, 1, 28), torch.linspace(-1, 1, 28), indexing="ij")
        grid = torch.stack([xs, ys, torch.ones_like(xs)], -1) @ theta[0].T
        return self.what(functional.grid_sample(x, grid[None], align_corners=False))


class Graph(nn.Module):
    """A graph network: messages along edges, accumulated by ScatterElements or ScatterND."""

    def __init__(self, width=32, layers=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers))

    def forward(self, nodes, edges):
        for layer in self.layers:
            sums = torch.zeros_like(nodes).index_add(0, edges[1], nodes[edges[0]])
            nodes = layer(torch.cat([nodes, sums], 1)).relu()
        return nodes.mean(0)


class Encoder(nn.Module):
    def __init__(self, width=128, heads=4, layers=2):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, heads, 256, batch_first=True, activation="gelu")
        self.layers = nn.ModuleList(layer for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Recommender(nn.Module):
    """Embeddings of categories and numbers with feature interactions: DLRM."""

    def __init__(self, tables=4, rows=1000, width=16):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.numbers = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(nn.Linear(width + pairs, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())  # fmt: skip
        self.register_buffer("pairs", torch.tril_indices(tables + 1, tables + 1, -1))

    def forward(self, numbers, categories):
        x = self.numbers(numbers)
        parts = [x, *(table(categories[:, k]) for k, table in enumerate(self.tables))]
        stacked = torch.stack(parts, 1)
        crossed = (stacked @ stacked.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return self.top(torch.cat([x, crossed], 1))


class Yolo(nn.Module):
    """Grids of three sizes, decoded like YOLO's heads, and the boxes that NonMaxSuppression
    keeps."""

    def __init__(self, classes=10):
        super().__init__()
        self.classes = classes
        steps = ((3, 16), (16, 32), (32, 64), (64, 64), (64, 64))
        self.backbone = nn.ModuleList(nn.Sequential(nn.Conv2d(a, b, 3, 2, 1), nn.BatchNorm2d(b), nn.SiLU()) for a, b in steps)  # fmt: skip
        self.heads = nn.ModuleList(nn.Conv2d(64, 5 + classes, 1) for _ in range(3))

    def forward(self, image):
        x, found = image, []
        for level, layer in enumerate(self.backbone):
            x = layer(x)
            if level < 2:
                continue
            y = self.heads[level - 2](x).flatten(2).transpose(1, 2)[0].sigmoid()
            step, width = 2 ** (level + 1), x.shape[-1]
            place = torch.arange(y.shape[0])
            grid = torch.stack([place % width, place // width], 1)
            center = (y[:, :2] * 2 - 0.5 + grid) * step
            half = (y[:, 2:4] * 2) ** 2 * step
            found.append(torch.cat([center - half, center + half, y[:, 4:]], 1))
        y = torch.cat(found)
        scores = y[:, 4:5] * y[:, 5:]
        best, label = scores.max(1)
        kept = torchvision.ops.nms(y[:, :4], best, 0.5)[:100]
        return y[kept, :4], best[kept], label[kept]


SHAPES = {
    UNet: {"image": (1, 3, 96, 96)},
    SuperResolution: {"image": (1, 1, 64, 64)},
    Style: {"image": (1, 3, 96, 96)},
    Keywords: {"spectrogram": (1, 1, 49, 10)},
    Spectrogram: {"samples": (1, 8000)},
    WaveNet: {"samples": (1, 1, 1024)},
    SpatialTransformer: {"image": (1, 1, 28, 28)},
    Encoder: {"x": (1, 50, 128)},
    Yolo: {"image": (1, 3, 160, 160)},
}


def written(name, opset=18, exporter="dynamo"):
    """One of the networks above, with the shapes above."""
    kind = globals()[name]
    # torch's fused encoder layers cannot be exported to ONNX.
    torch.backends.mha.set_fastpath_enabled(False)
    inputs = {key: random_like(shape) for key, shape in SHAPES[kind].items()}
    return export(Outputs(seeded(kind)), inputs, opset, exporter)


def graph(opset=18, exporter="dynamo"):
    inputs = {"nodes": random_like((50, 32)), "edges": random_like((2, 300), "int64", high=50)}
    return export(seeded(Graph), inputs, opset, exporter)


def recommender(opset=18, exporter="dynamo"):
    inputs = {
        "numbers": random_like((8, 13)),
        "categories": random_like((8, 4), "int64", high=1000),
    }
    return export(seeded(Recommender), inputs, opset, exporter)
