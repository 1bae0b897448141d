"""Base of what the API takes and gives."""

from pydantic import BaseModel, ConfigDict


class Given(BaseModel):
    """What a request says: no coercion, no unknown field."""

    model_config = ConfigDict(strict=True, extra="forbid", use_attribute_docstrings=True)


class Told(BaseModel):
    """What an answer says."""

    model_config = ConfigDict(use_attribute_docstrings=True)
