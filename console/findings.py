"""A finding as the console tells it: amounts in the currency, wagers as printed, players to those who need them."""

from collections.abc import Mapping
from typing import Any

from console.masking import message_for, values_for
from games.rulebook import WAGERS
from schemas.sentences import sentence_in


def told_finding(found: Mapping[str, Any], currency: str | None, *, masking: bool) -> dict[str, Any]:
    """A finding of which the JSON is given, with its sentence and its values for people."""
    code = found["code"]
    said = message_for(code, sentence_in(currency, code, found["message"]), masking=masking)
    values = {side: values_for(code, found.get(side), masking=masking) for side in ("expected", "actual")}
    if code == "wager-not-offered":
        values = {side: _titled(value) for side, value in values.items()}
    return {**found, "message": said, **values}


def _titled(value: Any) -> Any:
    """A wager, or a list of them, as the layout prints them."""
    return [_titled(each) for each in value] if isinstance(value, list) else WAGERS.get(value, value)
