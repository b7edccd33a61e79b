"""Which sizes and lengths a checkpoint can render exactly. Diffusers rounds others silently; here they are errors."""

from typing import Protocol


class Grid(Protocol):
    """The part of a Wan pipeline that decides which sizes and lengths are possible."""

    vae_scale_factor_spatial: int
    vae_scale_factor_temporal: int
    transformer: object


def check_request(grid: Grid, width: int, height: int, num_frames: int) -> None:
    """Raises ValueError if the video could not have exactly this size and number of frames."""
    width_step, height_step = size_steps(grid)
    if width % width_step or height % height_step:
        raise ValueError(
            f"width must be a multiple of {width_step} and height of {height_step}, got {width} by {height}"
        )
    frame_step = grid.vae_scale_factor_temporal
    if num_frames % frame_step != 1:
        raise ValueError(f"num_frames must be a multiple of {frame_step}, plus 1, got {num_frames}")


def size_steps(grid: Grid) -> tuple[int, int]:
    """Returns the steps of width and height: pixels per latent, times latents per patch."""
    _, patch_height, patch_width = grid.transformer.config.patch_size
    scale = grid.vae_scale_factor_spatial
    return scale * patch_width, scale * patch_height
