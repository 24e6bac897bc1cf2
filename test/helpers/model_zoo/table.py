"""The networks: the builder of each, its arguments, and the quantized variants that are tested."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Network:
    source: str  # the builder's file
    make: str  # a function in it
    arguments: tuple = ()
    options: dict = field(default_factory=dict)
    forms: tuple = ()
    #: The networks whose speed is tracked.
    named: bool = False


QUANTIZED = ("qdq", "qoperator", "dynamic")
WEIGHTS = ("dequantize", "cast")


def vision(make, *arguments, forms=(), named=False, **options):
    return Network("torchvision_networks", make, arguments, options, forms, named)


def timm(name, *, forms=("qdq",), named=False, **options):
    return Network("timm_networks", "classifier", (name,), options, forms, named)


def tokens(family, head="Model", forms=("qdq",), named=False, **options):
    return Network("transformers_networks", "tokens", ((family, head),), options, forms, named)


def features(family, head, name, shape, forms=("qdq",), **options):
    return Network(
        "transformers_networks", "features", ((family, head), name, shape), options, forms
    )


def written(make, *arguments, forms=("qdq",), named=False, **options):
    return Network("torch_networks", make, arguments, options, forms, named)


def shipped(package, file, shapes, forms=(), named=True, **options):
    return Network("package_networks", "shipped", (package, file, shapes), options, forms, named)


# The sizes of BERT, whose names depend on the family in transformers' configurations.
SMALL = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 256, "vocab_size": 1000}  # fmt: skip
MINILM = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 30522}  # fmt: skip
LLAMA = {**SMALL, "num_key_value_heads": 2, "head_dim": 32}

NETWORKS = {
    # The networks whose speed is tracked.
    "ssdlite320_mobilenet_v3_large": vision("detector", "ssdlite320_mobilenet_v3_large", forms=("qdq",), named=True),
    "vgg11": vision("classifier", "vgg11", named=True),
    "fasterrcnn_mobilenet_v3_large_320_fpn": vision("detector", "fasterrcnn_mobilenet_v3_large_320_fpn", named=True, box_score_thresh=0.01),
    "fasterrcnn_resnet50_fpn": vision("detector", "fasterrcnn_resnet50_fpn", named=True),
    "mixer_s16": timm("mixer_s16_224", named=True, forms=(*QUANTIZED, *WEIGHTS)),
    "mixer_s16_f16": timm("mixer_s16_224", named=True, forms=(), half=True),
    "mixer_b16": timm("mixer_b16_224", named=True, forms=()),
    "beit_base": timm("beit_base_patch16_224", named=True, forms=()),
    "pointnet": written("pointnet", named=True, forms=QUANTIZED),
    "pointnet_open": written("pointnet", named=True, dynamic={"points": {0: "clouds", 2: "points"}}, exporter="script"),
    "pointnet_batches": written("pointnet", named=True, dynamic={"points": {0: "clouds"}}, exporter="script"),
    "pointnet_pooled": written("pointnet", named=True, pooled=True),
    "fnet": tokens("FNet", named=True, length=128, mask=False, opset=18, hidden_size=256, num_hidden_layers=4, intermediate_size=1024, vocab_size=4000),
    "minilm": tokens("Bert", named=True, length=128, forms=(*QUANTIZED, *WEIGHTS), **MINILM),
    "silero_vad": shipped("silero_vad", "data/silero_vad_16k_op15.onnx", {"input": (1, 576), "state": (2, 1, 128)}, values={"sr": 16000}),
    "silero_vad_if": shipped("silero_vad", "data/silero_vad.onnx", {"input": (1, 576), "state": (2, 1, 128)}, values={"sr": 16000}),
    "silero_vad_sequence": shipped("silero_vad", "data/silero_vad_16k_sequence.onnx", {"input": (8, 576), "h": (1, 1, 128), "c": (1, 1, 128)}),
    "silero_vad_half": shipped("silero_vad", "data/silero_vad_half.onnx", {"input": (1, 576), "state": (2, 1, 128)}),
    "nudenet": shipped("nudenet", "320n.onnx", {"images": (1, 3, 320, 320)}),
    "slovorez": shipped("slovorez", "models/slovorez-test/slovorez-test.onnx", {"input_layer": (1, 16)}, high=30),
    "roi_detector": written("roi_detector", named=True),
    "lstm": written("recurrent", "LSTM", named=True, forms=QUANTIZED),
    "lstm_both": written("recurrent", "LSTM", 1, True, named=True, forms=("dynamic",)),
    "gru": written("recurrent", "GRU", named=True, forms=QUANTIZED),
    # torch.
    "gru_both": written("recurrent", "GRU", 1, True, forms=("dynamic",)),
    "rnn": written("recurrent", "RNN", forms=("dynamic",)),
    "unet": written("written", "UNet", forms=("qdq", "qoperator")),
    "superresolution": written("written", "SuperResolution", forms=("qdq", "qoperator")),
    "style": written("written", "Style"),
    "keywords": written("written", "Keywords", forms=("qdq", "qoperator")),
    "spectrogram": written("written", "Spectrogram", forms=("qdq", "dynamic")),
    "wavenet": written("written", "WaveNet"),
    "spatial_transformer": written("written", "SpatialTransformer"),
    "encoder": written("written", "Encoder", forms=(*QUANTIZED, *WEIGHTS)),
    "encoder_script": written("written", "Encoder", exporter="script", opset=14, forms=QUANTIZED),
    "yolo": written("written", "Yolo", exporter="script", opset=13),
    "graph": written("graph"),
    "recommender": written("recommender", forms=(*QUANTIZED, *WEIGHTS)),
    # torchvision.
    "alexnet": vision("classifier", "alexnet", size=96),
    "squeezenet1_1": vision("classifier", "squeezenet1_1", forms=("qdq", "qoperator"), size=96),
    "googlenet": vision("classifier", "googlenet", forms=("qdq",), size=96, init_weights=False),
    "shufflenet_v2_x0_5": vision("classifier", "shufflenet_v2_x0_5", forms=("qdq", "qoperator"), size=96),
    "mnasnet0_5": vision("classifier", "mnasnet0_5", forms=("qdq", "qoperator"), size=96),
    "mobilenet_v2": vision("classifier", "mobilenet_v2", forms=QUANTIZED, size=96, exporter="script", opset=13),
    "swin_t": vision("classifier", "swin_t", size=96),
    "lraspp": vision("segmentation", "lraspp_mobilenet_v3_large", forms=("qdq",)),
    "deeplabv3": vision("segmentation", "deeplabv3_mobilenet_v3_large", forms=("qdq",)),
    "fcn_resnet50": vision("segmentation", "fcn_resnet50", size=64),
    "ssd300_vgg16": vision("detector", "ssd300_vgg16", size=160),
    "retinanet": vision("detector", "retinanet_resnet50_fpn", min_size=160, max_size=160, size=160),
    "fcos": vision("detector", "fcos_resnet50_fpn", min_size=160, max_size=160, size=160),
    "keypointrcnn": vision("detector", "keypointrcnn_resnet50_fpn", min_size=160, max_size=160, size=160),
    "maskrcnn": vision("detector", "maskrcnn_resnet50_fpn", min_size=160, max_size=160, size=160),
    "r3d_18": vision("video", "r3d_18", frames=4, size=32, forms=("qdq",)),
    "s3d": vision("video", "s3d", frames=16, size=64),
    "raft_small": vision("optical_flow", "raft_small"),
    # timm.
    **{
        name: timm(full or name, size=size)
        for name, full, size in (
            ("resnet18", None, 96),
            ("resnetv2_50", "resnetv2_50x1_bit", 64),
            ("mobilenetv3_small", "mobilenetv3_small_100", 96),
            ("mobilenetv4_small", "mobilenetv4_conv_small", 96),
            ("efficientnet_b0", None, 96),
            ("tf_efficientnetv2_b0", None, 96),
            ("convnext_atto", None, 96),
            ("convnextv2_atto", None, 96),
            ("vit_tiny", "vit_tiny_patch16_224", 224),
            ("deit_tiny_distilled", "deit_tiny_distilled_patch16_224", 224),
            ("swin_tiny", "swin_tiny_patch4_window7_224", 224),
            ("swinv2_cr_tiny", "swinv2_cr_tiny_224", 224),
            ("gmlp_ti16", "gmlp_ti16_224", 224),
            ("resmlp_12", "resmlp_12_224", 224),
            ("poolformer_s12", None, 96),
            ("regnety_002", None, 96),
            ("ghostnet_100", None, 96),
            ("mobilevit_xxs", None, 128),
            ("mobilevitv2_050", None, 128),
            ("levit_128s", None, 224),
            ("xcit_nano", "xcit_nano_12_p16_224", 224),
            ("edgenext_xx_small", None, 128),
            ("efficientformer_l1", None, 224),
            ("fastvit_t8", None, 128),
            ("repvgg_a0", None, 96),
            ("hrnet_w18_small", None, 96),
            ("res2net50", "res2net50_14w_8s", 64),
            ("skresnet18", None, 96),
            ("nfnet", "dm_nfnet_f0", 64),
            ("pvt_v2_b0", None, 96),
            ("tiny_vit_5m", "tiny_vit_5m_224", 224),
            ("efficientvit_b0", None, 96),
            ("mambaout_femto", None, 96),
            ("hgnetv2_b0", None, 96),
            ("coat_lite_tiny", None, 224),
            ("cait_xxs24", "cait_xxs24_224", 224),
            ("crossvit_tiny", "crossvit_tiny_240", 240),
            ("twins_svt_small", None, 224),
            ("mvitv2_tiny", None, 224),
            ("davit_tiny", None, 96),
            ("focalnet_tiny", "focalnet_tiny_srf", 96),
            ("gcvit_xxtiny", None, 224),
            ("maxvit_pico", "maxvit_rmlp_pico_rw_256", 256),
            ("volo_d1", "volo_d1_224", 224),
            ("halonet26t", None, 256),
            ("lambda_resnet26t", None, 256),
            ("inception_v3", None, 128),
            ("densenet121", None, 64),
            ("dla34", None, 64),
            ("dpn48b", None, 64),
            ("starnet_s1", None, 96),
            ("shvit_s1", None, 128),
            ("eva02_tiny", "eva02_tiny_patch14_224", 224),
        )
    },
    # transformers.
    "distilbert": tokens("DistilBert", dim=128, n_layers=2, n_heads=4, hidden_dim=256, vocab_size=1000, forms=QUANTIZED),
    "albert": tokens("Albert", embedding_size=64, **SMALL),
    "roberta": tokens("Roberta", **SMALL),
    "electra": tokens("Electra", embedding_size=64, **SMALL),
    "deberta_v2": tokens("DebertaV2", relative_attention=True, position_buckets=32, pos_att_type=["p2c", "c2p"], max_relative_positions=64, **SMALL),
    "mpnet": tokens("MPNet", **SMALL),
    "mobilebert": tokens("MobileBert", embedding_size=32, intra_bottleneck_size=32, true_hidden_size=32, **SMALL),
    "squeezebert": tokens("SqueezeBert", embedding_size=128, **SMALL),
    "convbert": tokens("ConvBert", embedding_size=64, **SMALL),
    "xlnet": tokens("XLNet", d_model=128, n_layer=2, n_head=4, d_inner=256, vocab_size=1000),
    "gpt2": tokens("GPT2", "LMHeadModel", n_embd=128, n_layer=2, n_head=4, vocab_size=1000, forms=QUANTIZED),
    "gpt_neox": tokens("GPTNeoX", "ForCausalLM", **SMALL),
    "opt": tokens("OPT", "ForCausalLM", hidden_size=128, word_embed_proj_dim=128, num_hidden_layers=2, num_attention_heads=4, ffn_dim=256, vocab_size=1000),
    "bloom": tokens("Bloom", "ForCausalLM", hidden_size=128, n_layer=2, n_head=4, vocab_size=1000),
    "llama": tokens("Llama", "ForCausalLM", forms=(*QUANTIZED, *WEIGHTS), **LLAMA),
    "mistral": tokens("Mistral", "ForCausalLM", sliding_window=32, **LLAMA),
    "qwen2": tokens("Qwen2", "ForCausalLM", **LLAMA),
    "qwen3": tokens("Qwen3", "ForCausalLM", **LLAMA),
    "gemma2": tokens("Gemma2", "ForCausalLM", **LLAMA),
    "phi": tokens("Phi", "ForCausalLM", **SMALL),
    "mixtral": tokens("Mixtral", "ForCausalLM", num_local_experts=4, **LLAMA),
    "mamba": tokens("Mamba", "ForCausalLM", mask=False, length=16, hidden_size=64, num_hidden_layers=2, vocab_size=1000, state_size=8),
    "t5": tokens("T5", d_model=128, d_kv=32, d_ff=256, num_layers=2, num_heads=4, vocab_size=1000),
    "bart": tokens("Bart", d_model=128, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=256, decoder_ffn_dim=256, vocab_size=1000),
    "vit": features("ViT", "Model", "pixel_values", (1, 3, 64, 64), image_size=64, patch_size=16, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256),
    "segformer": features("Segformer", "ForSemanticSegmentation", "pixel_values", (1, 3, 128, 128)),
    "dinov2": features("Dinov2", "Model", "pixel_values", (1, 3, 56, 56), image_size=56, patch_size=14, hidden_size=128, num_hidden_layers=2, num_attention_heads=4),
    "yolos": features("Yolos", "ForObjectDetection", "pixel_values", (1, 3, 64, 64), image_size=[64, 64], patch_size=16, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256, num_detection_tokens=10),
    "wav2vec2": features("Wav2Vec2", "ForCTC", "input_values", (1, 4000), hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256, conv_dim=(64,) * 7, num_conv_pos_embedding_groups=4),
    "ast": features("AST", "Model", "input_values", (1, 128, 128), hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256, max_length=128),
    "regnet": features("RegNet", "Model", "pixel_values", (1, 3, 64, 64)),
    "patchtst": features("PatchTST", "ForPrediction", "past_values", (1, 64, 3), context_length=64, num_input_channels=3, d_model=32, num_attention_heads=4, num_hidden_layers=2, prediction_length=8),
}  # fmt: skip
