"""Loads Wan checkpoints in the diffusers layout; each says in its model_index.json what it is."""

import os
from dataclasses import dataclass
from typing import Optional, Union

import torch
from diffusers import WanImageToVideoPipeline, WanPipeline

Pipeline = Union[WanPipeline, WanImageToVideoPipeline]


@dataclass
class Pipelines:
    """What was loaded: one pipeline a way of asking, either of which may be missing."""

    text: Optional[WanPipeline] = None
    image: Optional[WanImageToVideoPipeline] = None

    def for_text(self) -> WanPipeline:
        """The pipeline that needs no image."""
        if self.text is None:
            raise ValueError("this server has no text-to-video checkpoint: give an image")
        return self.text

    def for_image(self) -> WanImageToVideoPipeline:
        """The pipeline that starts from an image."""
        if self.image is None:
            raise ValueError("this server has no image-to-video checkpoint: leave the image out")
        return self.image


def load_pipelines() -> Pipelines:
    """Loads what WAN_CHECKPOINTS names: folders or hub repositories, separated by commas."""
    names = [name.strip() for name in os.environ.get("WAN_CHECKPOINTS", "").split(",") if name.strip()]
    if not names:
        raise ValueError("WAN_CHECKPOINTS is empty: name one or more checkpoints, separated by commas")
    if torch.cuda.is_available():
        # The same seed should give the same frames: no search for the fastest convolution of the day.
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.deterministic = True
    pipelines = Pipelines()
    for name in names:
        add_checkpoint(pipelines, name)
    return pipelines


def add_checkpoint(pipelines: Pipelines, name: str) -> None:
    """Loads one checkpoint for what it can do. Wan 2.2 A14B brings its second transformer by itself."""
    index = WanPipeline.load_config(name)
    kind = index["_class_name"]
    if kind == "WanImageToVideoPipeline":
        pipelines.image = load(WanImageToVideoPipeline, name)
    elif kind == "WanPipeline":
        pipelines.text = load(WanPipeline, name)
        # Wan 2.2 TI2V-5B calls itself text to video, but its weights do both. They are loaded, and placed, once.
        if index.get("expand_timesteps"):
            pipelines.image = WanImageToVideoPipeline(**pipelines.text.components, expand_timesteps=True)
            silence(pipelines.image)
    else:
        raise ValueError(f"{name} is a {kind}, not a WanPipeline or WanImageToVideoPipeline")


def load(kind: type[Pipeline], name: str) -> Pipeline:
    """Reads the weights in the precision that the device computes in, and puts them there."""
    pipeline = kind.from_pretrained(name, dtype=precision())
    silence(pipeline)
    if torch.cuda.is_available():
        if os.environ.get("WAN_OFFLOAD") == "1":
            pipeline.enable_model_cpu_offload()
        else:
            pipeline.to("cuda")
    return pipeline


def precision() -> Union[torch.dtype, dict[str, torch.dtype]]:
    """bfloat16 on a GPU, but for the parts that lose quality in it; float32 on a CPU."""
    if not torch.cuda.is_available():
        return torch.float32
    return {"default": torch.bfloat16, "vae": torch.float32, "image_encoder": torch.float32}


def silence(pipeline: Pipeline) -> None:
    """No progress bar: it would count the steps a second time, in another form."""
    pipeline.set_progress_bar_config(disable=True)
