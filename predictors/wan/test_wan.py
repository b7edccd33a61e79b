"""Run `python -m unittest` in this folder, with the packages of requirements.txt installed."""

import os
import shutil
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import av
import numpy

from make_schema import render_schema
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
