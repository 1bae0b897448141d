"""Grafana: dashboards, data source, alert rules and the command that installs them. Reads the store."""
