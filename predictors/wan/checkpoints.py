"""Loads Wan checkpoints in the diffusers layout; the model_index.json of each says what kind it is."""

import os
import re
from dataclasses import dataclass
from typing import Optional, Union

import torch
from diffusers import WanImageToVideoPipeline, WanPipeline

Pipeline = Union[WanPipeline, WanImageToVideoPipeline]

# A commit never changes. A branch or a tag does: its owner could replace what we load.
PINNED_REPOSITORY = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})")


@dataclass(frozen=True)
class Source:
    """Where a checkpoint comes from: a folder, or a hub repository at a commit."""

    name: str
    commit: Optional[str] = None


def parse_source(text: str) -> Source:
    """Reads one entry of WAN_CHECKPOINTS. A repository without a commit is refused."""
    if os.path.isdir(text):
        return Source(text)
    pinned = PINNED_REPOSITORY.fullmatch(text)
    if pinned is None:
        raise ValueError(
            f"{text} is neither a folder nor a hub repository with a commit: write owner/name@ and its 40 digits"
        )
    return Source(pinned["repository"], pinned["commit"])


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
    """Loads the checkpoints in WAN_CHECKPOINTS: folders or hub repositories at a commit, separated by commas."""
    names = [name.strip() for name in os.environ.get("WAN_CHECKPOINTS", "").split(",") if name.strip()]
    if not names:
        raise ValueError("WAN_CHECKPOINTS is empty: name one or more checkpoints, separated by commas")
    if torch.cuda.is_available():
        # The same seed should give the same frames, so cuDNN must not pick the fastest convolution by benchmark.
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.deterministic = True
    pipelines = Pipelines()
    for source in [parse_source(name) for name in names]:
        add_checkpoint(pipelines, source)
    return pipelines


def add_checkpoint(pipelines: Pipelines, source: Source) -> None:
    """Loads one checkpoint for each input it supports. Diffusers loads the second transformer of Wan 2.2 A14B too."""
    index = WanPipeline.load_config(source.name, revision=source.commit)
    kind = index["_class_name"]
    if kind == "WanImageToVideoPipeline":
        pipelines.image = load(WanImageToVideoPipeline, source)
    elif kind == "WanPipeline":
        pipelines.text = load(WanPipeline, source)
        # Wan 2.2 TI2V-5B is declared as text to video, but its weights do both. Both pipelines share one copy of them.
        if index.get("expand_timesteps"):
            pipelines.image = WanImageToVideoPipeline(**pipelines.text.components, expand_timesteps=True)
            silence(pipelines.image)
    else:
        raise ValueError(f"{source.name} is a {kind}, not a WanPipeline or WanImageToVideoPipeline")


def load(kind: type[Pipeline], source: Source) -> Pipeline:
    """Loads the weights in the device's precision and moves them to the device."""
    # Loading any other format than safetensors can run code that the file contains.
    pipeline = kind.from_pretrained(source.name, revision=source.commit, use_safetensors=True, dtype=precision())
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
