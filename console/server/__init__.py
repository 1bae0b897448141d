"""The application: routes, who may use them, headers, errors."""
