"""Networks of torch, torchvision, timm, transformers and of packages that contain one, and their
quantized variants."""
