"""Encodes frames as an H.264 MP4 with PyAV, which brings its own codecs, so the machine needs no ffmpeg."""

from pathlib import Path

import av
import numpy
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc

# The same frames must give the same bytes, so x264 runs with one thread and without its macroblock tree. With the tree,
# it encoded the same frames differently each time once this process had used its memory for something else.
ENCODER = {"preset": "veryfast", "crf": "16", "x264-params": "mbtree=0"}


def write_mp4(frames: numpy.ndarray, path: Path, fps: int) -> None:
    """Writes frames (count, height, width, 3), floats from 0 to 1, with the index in front."""
    _, height, width, _ = frames.shape
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=fps, options=ENCODER)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.thread_count = 1
        mark_colours(stream.codec_context)
        for pixels in frames:
            container.mux(stream.encode(to_frame(pixels)))
        container.mux(stream.encode())


def to_frame(pixels: numpy.ndarray) -> av.VideoFrame:
    """Converts one picture to the encoder's format: 8 bits, BT.709, limited range."""
    rgb = (pixels.clip(0, 1) * 255).round().astype(numpy.uint8)
    frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
    return frame.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG)


def mark_colours(context: av.VideoCodecContext) -> None:
    """Declares in the stream the colours that to_frame writes, so that no player has to guess."""
    context.color_range = ColorRange.MPEG
    context.colorspace = Colorspace.ITU709
    context.color_primaries = ColorPrimaries.BT709
    context.color_trc = ColorTrc.BT709
