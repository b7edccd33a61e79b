"""A Cog runner that serves Wan 2.1 and 2.2 with diffusers: text to video and image to video."""

import secrets
from typing import Callable, Optional

import torch
from cog import BaseRunner, Input, Path
from PIL import Image, ImageOps

from checkpoints import Pipeline, load_pipelines
from output_folder import OutputFolder
from rules import check_request
from video import write_mp4


class Runner(BaseRunner):
    def setup(self) -> None:
        """Loads every checkpoint that WAN_CHECKPOINTS names."""
        self.pipelines = load_pipelines()
        self.outputs = OutputFolder()

    def run(
        self,
        prompt: str = Input(description="What the video shows"),
        negative_prompt: str = Input(description="What it should not show", default=""),
        image: Optional[Path] = Input(
            description="First frame; it is cropped to the ratio of the video", default=None
        ),
        width: int = Input(description="A multiple of 16; of 32 with Wan 2.2 TI2V-5B", default=832, ge=16, le=1920),
        height: int = Input(description="A multiple of 16; of 32 with Wan 2.2 TI2V-5B", default=480, ge=16, le=1920),
        num_frames: int = Input(description="A multiple of 4, plus 1", default=81, ge=1, le=257),
        fps: int = Input(description="Frames a second", default=16, ge=1, le=60),
        seed: Optional[int] = Input(
            description="The same seed gives the same frames; random without one", default=None, ge=0, le=4294967295
        ),
        num_inference_steps: int = Input(description="Denoising steps", default=50, ge=1, le=200),
        guidance_scale: float = Input(
            description="How closely to follow the prompt; 1 turns guidance off", default=5.0, ge=1.0, le=20.0
        ),
    ) -> Path:
        """Renders one video, and prints each step as `step n/total`."""
        pipeline = self.pipelines.for_image() if image else self.pipelines.for_text()
        check_request(pipeline, width, height, num_frames)
        if seed is None:
            seed = secrets.randbelow(2**32)
        print(f"seed {seed}", flush=True)
        frames = pipeline(
            prompt=prompt,
            negative_prompt=negative_prompt,
            width=width,
            height=height,
            num_frames=num_frames,
            num_inference_steps=num_inference_steps,
            guidance_scale=guidance_scale,
            # The noise is always drawn on the CPU, so that a seed gives the same noise on every device.
            generator=torch.Generator("cpu").manual_seed(seed),
            callback_on_step_end=announce_steps(num_inference_steps),
            output_type="np",
            **({"image": first_frame(image, width, height)} if image else {}),
        ).frames[0]
        path = self.outputs.new_path()
        write_mp4(frames, path, fps)
        return Path(path)


def announce_steps(total: int) -> Callable[..., dict]:
    """
    Prints `step 0/total` now and returns a callback that prints `step n/total` after each step, one line each.

    A client that reads Cog's logs uses the last `n/total`. Cancelling needs no code here: at the next bytecode after
    the running kernel, Cog raises CancelationException in this thread, a BaseException that diffusers does not catch.
    """
    print(f"step 0/{total}", flush=True)

    def on_step_end(_pipeline: Pipeline, index: int, _timestep: object, _tensors: dict) -> dict:
        print(f"step {index + 1}/{total}", flush=True)
        return {}

    return on_step_end


def first_frame(path: Path, width: int, height: int) -> Image.Image:
    """Returns the image turned upright, cropped around its centre to the video's aspect ratio, and scaled."""
    with Image.open(str(path)) as image:
        return ImageOps.fit(ImageOps.exif_transpose(image).convert("RGB"), (width, height), Image.Resampling.LANCZOS)
