"""
Makes tiny Wan checkpoints with random weights, offline: make_tiny_checkpoint.py FOLDER

  FOLDER/t2v        text to video, like Wan 2.1
  FOLDER/i2v        image to video, like Wan 2.1, with its image encoder
  FOLDER/ti2v       both, like Wan 2.2 TI2V-5B: one checkpoint with expanded time steps
  FOLDER/a14b-t2v   text to video, like Wan 2.2 A14B: two transformers, one for high noise and one for low noise
  FOLDER/a14b-i2v   image to video, like Wan 2.2 A14B, without an image encoder

The videos show noise. The pipelines, schedulers and file layouts are real. A checkpoint has 0.3 MB and renders a video
in a second on one core.
"""

import sys
from pathlib import Path
from typing import Optional

import torch
from diffusers import (
    AutoencoderKLWan,
    FlowMatchEulerDiscreteScheduler,
    UniPCMultistepScheduler,
    WanImageToVideoPipeline,
    WanPipeline,
    WanTransformer3DModel,
)
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    CLIPImageProcessor,
    CLIPVisionConfig,
    CLIPVisionModel,
    PreTrainedTokenizerFast,
    UMT5Config,
    UMT5EncoderModel,
)

WORDS = """a an the of in on and with cat dog man woman child city street forest sea ocean sky sun moon night day
rain snow fire water car train ship plane runs walks flies jumps dances red green blue white black small large slow fast camera
pans zooms close wide shot video cinematic realistic""".split()

TEXT_WIDTH = 32
IMAGE_WIDTH = 4


def main(folder: Path) -> None:
    """Writes all the checkpoints; the same script with the same package versions gives the same weights."""
    WanPipeline(**common_parts(), transformer=transformer(), scheduler=euler()).save_pretrained(folder / "t2v")
    WanImageToVideoPipeline(
        **common_parts(),
        transformer=transformer(in_channels=36, image_dim=IMAGE_WIDTH),
        scheduler=euler(),
        image_encoder=image_encoder(),
        image_processor=CLIPImageProcessor(crop_size=32, size=32),
    ).save_pretrained(folder / "i2v")
    WanPipeline(
        **{**common_parts(), "vae": deep_vae()},
        transformer=transformer(in_channels=48, out_channels=48),
        scheduler=unipc(),
        expand_timesteps=True,
    ).save_pretrained(folder / "ti2v")
    WanPipeline(
        **common_parts(),
        transformer=transformer(),
        transformer_2=transformer(weights_seed=1),
        scheduler=unipc(),
        boundary_ratio=0.875,
    ).save_pretrained(folder / "a14b-t2v")
    WanImageToVideoPipeline(
        **common_parts(),
        transformer=transformer(in_channels=36),
        transformer_2=transformer(in_channels=36, weights_seed=1),
        scheduler=unipc(),
        boundary_ratio=0.9,
    ).save_pretrained(folder / "a14b-i2v")


def common_parts() -> dict:
    """Returns the parts that every Wan pipeline has, besides its transformer and scheduler."""
    return {"tokenizer": tokenizer(), "text_encoder": text_encoder(), "vae": vae()}


def euler() -> FlowMatchEulerDiscreteScheduler:
    """Returns the simplest scheduler: it has no history of earlier steps."""
    return FlowMatchEulerDiscreteScheduler(shift=3.0)


def unipc() -> UniPCMultistepScheduler:
    """Returns the scheduler of real Wan checkpoints. It has a history, so a cancelled job could affect the next one."""
    return UniPCMultistepScheduler(prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0)


def tokenizer() -> PreTrainedTokenizerFast:
    """Returns a tokenizer of whole words; unknown words become <unk>."""
    vocabulary = {word: index for index, word in enumerate(["<pad>", "</s>", "<unk>", *WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=512
    )


def text_encoder() -> UMT5EncoderModel:
    """Returns two narrow layers of the real text encoder."""
    torch.manual_seed(0)
    config = UMT5Config(
        vocab_size=128, d_model=TEXT_WIDTH, d_kv=16, d_ff=64, num_layers=2, num_heads=2, pad_token_id=0, eos_token_id=1
    )
    return UMT5EncoderModel(config).eval()


def vae() -> AutoencoderKLWan:
    """Returns a VAE of the real shape: 8 pixels per latent, 4 frames per latent, 16 channels."""
    torch.manual_seed(0)
    return AutoencoderKLWan(
        base_dim=3, z_dim=16, dim_mult=[1, 1, 1, 1], num_res_blocks=1, temperal_downsample=[False, True, True]
    )


def deep_vae() -> AutoencoderKLWan:
    """Returns a VAE of the shape in Wan 2.2 TI2V-5B: 16 pixels per latent, 48 channels."""
    torch.manual_seed(0)
    return AutoencoderKLWan(
        base_dim=4,
        decoder_base_dim=4,
        z_dim=48,
        dim_mult=[1, 1, 1, 1],
        num_res_blocks=1,
        temperal_downsample=[False, True, True],
        is_residual=True,
        in_channels=12,
        out_channels=12,
        patch_size=2,
        scale_factor_spatial=16,
        latents_mean=[0.0] * 48,
        latents_std=[1.0] * 48,
    )


def transformer(
    in_channels: int = 16, out_channels: int = 16, image_dim: Optional[int] = None, weights_seed: int = 0
) -> WanTransformer3DModel:
    """Returns two narrow layers of the real transformer."""
    torch.manual_seed(weights_seed)
    return WanTransformer3DModel(
        patch_size=(1, 2, 2),
        num_attention_heads=2,
        attention_head_dim=12,
        in_channels=in_channels,
        out_channels=out_channels,
        text_dim=TEXT_WIDTH,
        freq_dim=256,
        ffn_dim=32,
        num_layers=2,
        cross_attn_norm=True,
        qk_norm="rms_norm_across_heads",
        rope_max_seq_len=1024,
        image_dim=image_dim,
    )


def image_encoder() -> CLIPVisionModel:
    """Returns two narrow layers of the real image encoder."""
    torch.manual_seed(0)
    config = CLIPVisionConfig(
        hidden_size=IMAGE_WIDTH,
        projection_dim=IMAGE_WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=32,
        intermediate_size=16,
        patch_size=16,
    )
    return CLIPVisionModel(config).eval()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_tiny_checkpoint.py FOLDER")
    main(Path(sys.argv[1]))
