"""The auditor's tool: show, verify, re-audit, what-if, export. Knows audit and store, never streams."""
