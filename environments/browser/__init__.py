"""Any web page in a real Chromium, behind the environment contract. Needs the extra `browser` and a Chromium of the system."""

from environments.browser.environment import BrowserEnvironment

__all__ = ["BrowserEnvironment"]
