"""The rows of the store as frozen dataclasses: what writers take and readers give back."""
