"""The command and the settings: reads the configuration once and calls one room."""
