"""The Chromium that is driven here: its headless shell where that is installed, else the whole browser."""

import os
import shutil

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The shell is the same engine without windows. The whole browser draws the frame of a window for every page, also
where nobody sees it: that takes four times the processor time of a page of ours."""


def launch(playwright: Playwright) -> Browser | None:
    """A browser; None where there is none on this machine."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        return None
    return playwright.chromium.launch(executable_path=path, args=["--no-sandbox"] if os.geteuid() == 0 else [])
