"""Where finished videos wait until Cog has sent them off."""

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
        """A name that no other job has or had."""
        self.delete_old(time.time())
        return self.folder / f"{uuid.uuid4().hex}.mp4"

    def delete_old(self, now: float) -> None:
        """Deletes what has had its time to be sent off."""
        for path in self.folder.iterdir():
            if now - path.stat().st_mtime > KEEP_SECONDS:
                path.unlink()
