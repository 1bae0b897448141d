"""The auditor's tool: pure parts on cases made by hand, the rest over a real store."""
