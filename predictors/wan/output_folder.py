"""The folder where finished videos wait until Cog has uploaded them."""

import tempfile
import time
import uuid
from pathlib import Path

KEEP_SECONDS = 600


class OutputFolder:
    """Names files uniquely, since Cog uploads them under their bare names, and deletes old ones, since Cog does not."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="wan-"))

    def new_path(self) -> Path:
        """Returns a path that no other job uses or has used."""
        self.delete_old(time.time())
        return self.folder / f"{uuid.uuid4().hex}.mp4"

    def delete_old(self, now: float) -> None:
        """Deletes expired files: those that Cog has had KEEP_SECONDS to upload."""
        for path in self.folder.iterdir():
            if now - path.stat().st_mtime > KEEP_SECONDS:
                path.unlink()
