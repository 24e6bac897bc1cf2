"""Networks of torch, torchvision, timm, transformers and of packages that ship one, and their quantized forms."""
