"""Loads Wan checkpoints in the diffusers layout; the model_index.json of each says what kind it is."""

import os
from dataclasses import dataclass
from typing import Optional, Union

import torch
from diffusers import WanImageToVideoPipeline, WanPipeline

Pipeline = Union[WanPipeline, WanImageToVideoPipeline]


@dataclass
class Pipelines:
    """The loaded pipelines, one for text and one for images; either may be missing."""

    text: Optional[WanPipeline] = None
    image: Optional[WanImageToVideoPipeline] = None

    def for_text(self) -> WanPipeline:
        """Returns the pipeline that needs no image."""
        if self.text is None:
            raise ValueError("this server has no text-to-video checkpoint: give an image")
        return self.text

    def for_image(self) -> WanImageToVideoPipeline:
        """Returns the pipeline that starts from an image."""
        if self.image is None:
            raise ValueError("this server has no image-to-video checkpoint: leave the image out")
        return self.image


def load_pipelines() -> Pipelines:
    """Loads the checkpoints in WAN_CHECKPOINTS: folders or hub repositories, separated by commas."""
    names = [name.strip() for name in os.environ.get("WAN_CHECKPOINTS", "").split(",") if name.strip()]
    if not names:
        raise ValueError("WAN_CHECKPOINTS is empty: name one or more checkpoints, separated by commas")
    if torch.cuda.is_available():
        # The same seed should give the same frames, so cuDNN must not pick the fastest convolution by benchmark.
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.deterministic = True
    pipelines = Pipelines()
    for name in names:
        add_checkpoint(pipelines, name)
    return pipelines


def add_checkpoint(pipelines: Pipelines, name: str) -> None:
    """Loads one checkpoint for each input it supports. Diffusers loads the second transformer of Wan 2.2 A14B too."""
    index = WanPipeline.load_config(name)
    kind = index["_class_name"]
    if kind == "WanImageToVideoPipeline":
        pipelines.image = load(WanImageToVideoPipeline, name)
    elif kind == "WanPipeline":
        pipelines.text = load(WanPipeline, name)
        # Wan 2.2 TI2V-5B is declared as text to video, but its weights do both. Both pipelines share one copy of them.
        if index.get("expand_timesteps"):
            pipelines.image = WanImageToVideoPipeline(**pipelines.text.components, expand_timesteps=True)
            silence(pipelines.image)
    else:
        raise ValueError(f"{name} is a {kind}, not a WanPipeline or WanImageToVideoPipeline")


def load(kind: type[Pipeline], name: str) -> Pipeline:
    """Loads the weights in the device's precision and moves them to the device."""
    pipeline = kind.from_pretrained(name, dtype=precision())
    silence(pipeline)
    if torch.cuda.is_available():
        if os.environ.get("WAN_OFFLOAD") == "1":
            pipeline.enable_model_cpu_offload()
        else:
            pipeline.to("cuda")
    return pipeline


def precision() -> Union[torch.dtype, dict[str, torch.dtype]]:
    """Returns bfloat16 on a GPU, except for the parts that lose quality in it, and float32 on a CPU."""
    if not torch.cuda.is_available():
        return torch.float32
    return {"default": torch.bfloat16, "vae": torch.float32, "image_encoder": torch.float32}


def silence(pipeline: Pipeline) -> None:
    """Turns the progress bar off, because it would log the steps a second time in another format."""
    pipeline.set_progress_bar_config(disable=True)
