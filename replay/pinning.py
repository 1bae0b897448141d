"""The moment at which each finding arose: the fact that decided it."""

from collections.abc import Sequence

from audit.facts import Fact, RoundFacts
from schemas.findings import Finding, finding_id

_BY_EVENT = frozenset({"display-mismatch", "payout-wrong", "payout-unexpected", "ruling-not-authorised"})
"""The id of these names the very event."""
_AT_CLOSING = frozenset({"below-minimum", "above-maximum", "too-many-wagers"})
_AT_PLACING = frozenset({"wager-not-offered", "position-not-on-layout"})
_LATE = frozenset({"late-bet", "late-withdrawal"})


def decided_by(finding: Finding, facts: RoundFacts) -> Fact:
    """The fact by which a finding of this round was decided; what rests on something absent, by the round's end."""
    code, end = finding.code, _end(facts)
    if code in _BY_EVENT:
        return _very_event(finding, facts) or end
    if code in _AT_PLACING:
        return _first(facts.acts.get(finding.bet or "", ())) or end
    if code in _AT_CLOSING:
        return _at_closing(finding, facts) or end
    if code in _LATE:
        acts = facts.acts.get(finding.bet or "", ())
        late = [act for act in acts if facts.closings and act > facts.closings[0]]
        return _last(late) or _last(acts) or end
    if finding.draw is not None:
        return _at_draw(finding.draw, facts) or end
    if code == "differential-exceeded":
        return facts.first_card or end
    if code == "insufficient-cards":
        return _last(facts.cards) or end
    if code == "method-not-allowed":
        return _last(facts.openings) or end
    if code in ("void-required", "card-missing"):
        return _first(_settlements(facts)) or end
    if code == "void-unfounded":
        return _first(facts.rulings_of("void")) or end
    if code == "void-not-returned":
        moved = [fact for fact in _settlements(facts) if fact.data.bet == finding.bet]
        return _last(moved) or end
    if code == "round-out-of-order":
        return _out_of_order(finding, facts) or end
    return end


def _end(facts: RoundFacts) -> Fact:
    return facts.conclusions[0] if facts.conclusions else facts.ordered[-1]


def _first(facts: Sequence[Fact]) -> Fact | None:
    return facts[0] if facts else None


def _last(facts: Sequence[Fact]) -> Fact | None:
    return facts[-1] if facts else None


def _settlements(facts: RoundFacts) -> list[Fact]:
    moved = [fact for each in (facts.settlements, facts.corrections) for listed in each.values() for fact in listed]
    return sorted(moved)


def _very_event(finding: Finding, facts: RoundFacts) -> Fact | None:
    about = (finding.code, finding.table, finding.shoe, finding.round, finding.bet, finding.draw)
    candidates = (fact for fact in facts.ordered if finding_id(*about, about=f"{fact.source} {fact.id}") == finding.id)
    return next(candidates, None)


def _at_closing(finding: Finding, facts: RoundFacts) -> Fact | None:
    """Limits hold for what stands at the closing; what was added later decides later."""
    acts = facts.acts.get(finding.bet or "", ())
    moments = [*facts.closings[:1], *acts[-1:]]
    return max(moments) if moments else None


def _at_draw(draw: int, facts: RoundFacts) -> Fact | None:
    """The last reading of a draw; of one that was skipped, the first reading of a later one."""
    read = [card for card in facts.cards if card.data.draw == draw]
    replaced = [ruling for ruling in facts.rulings_of("replacement-card") if ruling.data.draw == draw]
    later = [card for card in facts.cards if card.data.draw > draw]
    return _last(read) or _last(replaced) or _first(later)


def _out_of_order(finding: Finding, facts: RoundFacts) -> Fact | None:
    about = (finding.code, finding.table, finding.shoe, finding.round)
    if finding.id == finding_id(*about, about="doubled"):
        for announced in (facts.openings, facts.closings, facts.conclusions):
            if len(announced) > 1:
                return announced[1]
    if finding.id == finding_id(*about, about="reopened"):
        return facts.ordered[-1]
    return None
