"""Run `python -m unittest` in this folder, with the packages of requirements.txt installed."""

import os
import shutil
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import av
import numpy
import torch
from diffusers import WanPipeline

from checkpoints import Pipelines, Source, add_checkpoint, load_pipelines, parse_source
from make_schema import render_schema
from make_tiny_checkpoint import common_parts, euler, transformer
from output_folder import KEEP_SECONDS, OutputFolder
from rules import check_request
from video import write_mp4


def grid(pixels_per_latent: int) -> SimpleNamespace:
    transformer = SimpleNamespace(config=SimpleNamespace(patch_size=(1, 2, 2)))
    return SimpleNamespace(
        vae_scale_factor_spatial=pixels_per_latent, vae_scale_factor_temporal=4, transformer=transformer
    )


class Rules(unittest.TestCase):
    def test_a_size_and_a_length_on_the_grid_are_accepted(self) -> None:
        check_request(grid(8), 832, 480, 81)
        check_request(grid(16), 1280, 704, 121)

    def test_a_size_that_would_be_rounded_is_rejected(self) -> None:
        with self.assertRaisesRegex(ValueError, "multiple of 16"):
            check_request(grid(8), 840, 480, 81)
        with self.assertRaisesRegex(ValueError, "multiple of 32"):
            check_request(grid(16), 1280, 720, 81)

    def test_a_length_that_would_be_rounded_is_rejected(self) -> None:
        with self.assertRaisesRegex(ValueError, "multiple of 4, plus 1"):
            check_request(grid(8), 832, 480, 80)


class Checkpoints(unittest.TestCase):
    commit = "0123456789abcdef" * 2 + "01234567"

    def test_a_repository_is_loaded_at_its_commit_and_only_from_safetensors(self) -> None:
        index = {"_class_name": "WanPipeline"}
        with patch.object(WanPipeline, "load_config", return_value=index) as load_config, patch.object(
            WanPipeline, "from_pretrained"
        ) as from_pretrained, patch.dict(os.environ, {"WAN_CHECKPOINTS": f"owner/name@{self.commit}"}):
            load_pipelines()
        load_config.assert_called_once_with("owner/name", revision=self.commit)
        self.assertEqual(from_pretrained.call_args.args, ("owner/name",))
        self.assertEqual(from_pretrained.call_args.kwargs["revision"], self.commit)
        self.assertIs(from_pretrained.call_args.kwargs["use_safetensors"], True)

    def test_a_repository_without_a_commit_is_refused(self) -> None:
        for text in ("owner/name", "owner/name@main", "owner/name@0123abc", f"owner/name@{self.commit}0", "/nowhere"):
            with self.assertRaisesRegex(ValueError, "neither a folder nor a hub repository with a commit"):
                parse_source(text)

    def test_a_folder_needs_no_commit(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(parse_source(folder), Source(folder))

    def test_pickled_weights_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            WanPipeline(**common_parts(), transformer=transformer(), scheduler=euler()).save_pretrained(folder)
            pipelines = Pipelines()
            add_checkpoint(pipelines, Source(folder))
            for part, safe, pickled in (
                ("transformer", "diffusion_pytorch_model.safetensors", "diffusion_pytorch_model.bin"),
                ("text_encoder", "model.safetensors", "pytorch_model.bin"),
            ):
                weights = Path(folder) / part / safe
                aside = weights.rename(Path(folder) / f"{part}.aside")
                torch.save(getattr(pipelines.for_text(), part).state_dict(), Path(folder) / part / pickled)
                with self.assertRaisesRegex(OSError, "safetensors"):
                    add_checkpoint(Pipelines(), Source(folder))
                aside.rename(weights)


class Schema(unittest.TestCase):
    def test_an_input_keeps_its_type_default_and_limits(self) -> None:
        source = (
            "class Runner:\n"
            "    def run(self, prompt: str = Input(description='x'), image: Optional[Path] = Input(default=None),\n"
            "            size: int = Input(default=4, ge=1, le=9)) -> Path: pass\n"
        )
        schemas = render_schema(source)["components"]["schemas"]
        self.assertEqual(schemas["Input"]["required"], ["prompt"])
        image = {"title": "Image", "x-order": 1, "type": "string", "format": "uri", "nullable": True}
        self.assertEqual(schemas["Input"]["properties"]["image"], image)
        size = {"title": "Size", "x-order": 2, "type": "integer", "default": 4, "minimum": 1, "maximum": 9}
        self.assertEqual(schemas["Input"]["properties"]["size"], size)


class Outputs(unittest.TestCase):
    def test_names_are_unique_and_only_old_files_are_deleted(self) -> None:
        outputs = OutputFolder()
        self.addCleanup(shutil.rmtree, outputs.folder)
        old, young = outputs.new_path(), outputs.new_path()
        self.assertNotEqual(old.name, young.name)
        for path in (old, young):
            path.touch()
        now = young.stat().st_mtime
        os.utime(old, (now - KEEP_SECONDS - 1, now - KEEP_SECONDS - 1))
        outputs.delete_old(now)
        self.assertEqual(list(outputs.folder.iterdir()), [young])


class Video(unittest.TestCase):
    def test_the_video_has_every_frame_with_its_size_rate_and_colour(self) -> None:
        frames = numpy.zeros((5, 32, 48, 3), dtype=numpy.float32)
        frames[..., 0] = 1
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "red.mp4"
            write_mp4(frames, path, 16)
            with av.open(str(path)) as container:
                stream = container.streams.video[0]
                pictures = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
                self.assertEqual((stream.codec_context.name, stream.pix_fmt), ("h264", "yuv420p"))
                self.assertEqual(stream.average_rate, 16)
        self.assertEqual(numpy.stack(pictures).shape, (5, 32, 48, 3))
        red = numpy.stack(pictures).mean(axis=(0, 1, 2))
        self.assertTrue(red[0] > 245 and red[1] < 10 and red[2] < 10, red)


if __name__ == "__main__":
    unittest.main()
