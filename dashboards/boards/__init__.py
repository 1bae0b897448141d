"""The six dashboards, a file each."""
