"""The re-audit in other hands: what one would write oneself over arrays in memory."""
