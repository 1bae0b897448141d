"""A round's story on the terminal: heading, moments with the hands beside them, money, findings, clauses."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from games.register import REGISTER
from replay.bets import BetLine
from replay.cards import card_words
from replay.money import amount_words, signed_words
from replay.story import Moment, Story
from schemas.findings import Finding
from schemas.verdicts import Settled

STATUS_STYLE: Final[Mapping[str | None, str]] = {
    "verified": "bold green",
    "flagged": "bold red",
    "void": "bold yellow",
    "unverifiable": "bold magenta",
    None: "bold cyan",
}
SEVERITY_STYLE: Final[Mapping[str, str]] = {
    "critical": "bold red",
    "high": "red",
    "medium": "yellow",
    "low": "cyan",
}
_RED_SUITS: Final = "HD"
WIDE: Final = 110
"""From so many columns on, reasons have a column of their own."""
_SUBJECT: Final = {(clause.document, clause.number): clause.subject for clause in REGISTER}


def time_words(micros: int, *, seconds: bool = False) -> str:
    """A time as people read it, in UTC, to the thousandth of a second."""
    moment = datetime.fromtimestamp(micros // 1_000_000, UTC)
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return text if seconds else f"{text}.{micros // 1_000 % 1_000:03d}"


def after_words(micros: int) -> str:
    """How long after the first moment: ``+12.340``, from an hour on in hours."""
    whole, thousandths = divmod(micros // 1_000, 1_000)
    if whole < 60:
        return f"+{whole}.{thousandths:03d}"
    minutes, left = divmod(whole, 60)
    if minutes < 60:
        return f"+{minutes}:{left:02d}.{thousandths // 100}"
    hours, minutes = divmod(minutes, 60)
    return f"+{hours}:{minutes:02d}:{left:02d}"


def print_story(console: Console, story: Story) -> None:
    """The whole round."""
    wide = console.width >= WIDE
    console.print(heading(story))
    console.print()
    console.print(moments_table(story, story.moments, wide=wide))
    if story.bets:
        console.print()
        console.print(bets_table(story, wide=wide))
    console.print()
    console.print(ending(story))


def heading(story: Story) -> RenderableType:
    """What round this is, how it ended, and by which rules it was judged."""
    title = Text.assemble(
        (f"{story.table} · shoe {story.shoe} · round {story.round}", "bold"),
        "  ",
        (story.title or "game not known", ""),
    )
    status = story.status or "open, not judged yet"
    line = Table.grid(expand=True)
    line.add_column(ratio=1)
    line.add_column(justify="right", no_wrap=True)
    line.add_row(title, Text(status.upper(), STATUS_STYLE[story.status]))
    lasted = (story.ended - story.began) / 1_000_000
    about = [
        f"{time_words(story.began)} UTC, {lasted:.1f} s",
        _named("dealer", story.dealer),
        _named("pit", story.pit),
        {"main": "main floor", "hlga": "high-limit area"}.get(story.area or "", ""),
        f"{story.decks} decks" if story.decks is not None else "",
        _named("cameras" if len(story.cameras) > 1 else "camera", ", ".join(story.cameras)),
        f"amounts in {story.currency}" if story.currency else "",
    ]
    rules = []
    if story.document_title is not None:
        since = f" in force from {story.in_force}" if story.in_force else ""
        rules.append(f"Rules: {story.document_title} ({story.document}){since}")
    if story.judged is not None:
        at = time_words(story.judged * 1_000, seconds=True)
        rules.append(f"revision {story.revision}, judged {at} UTC by judge {story.judge}")
    lines: list[RenderableType] = [line, Text(" · ".join(filter(None, about)), "dim")]
    if rules:
        lines.append(Text(" · ".join(rules), "dim"))
    return Group(*lines)


def _named(what: str, name: str | None) -> str:
    return f"{what} {name}" if name else ""


def moments_table(story: Story, moments: Iterable[Moment], *, wide: bool, current: int | None = None) -> Table:
    """The moments, with the hands as they lie after each; ``current`` is shown bold."""
    hands = tuple(story.moments[-1].hands) if story.moments else ()
    table = Table(box=None, pad_edge=False, padding=(0, 1), show_edge=False, header_style="dim", expand=True)
    table.add_column("After", justify="right", no_wrap=True, style="dim")
    table.add_column("What happened", ratio=5)
    if wide:
        table.add_column("Why", ratio=4, style="dim")
    for hand in hands:
        table.add_column(hand.capitalize(), no_wrap=True, min_width=14 if wide else 12)
    last_card = next((each for each in reversed(story.moments) if each.kind == "card"), None)
    for number, moment in enumerate(moments):
        words = Text(moment.words, "bold" if number == current or moment.kind in _LOUD else "")
        why = _why(moment, last=moment is last_card)
        said: list[RenderableType] = [words]
        if why and not wide:
            said.append(Padding(Text(why, "dim"), (0, 0, 0, 2)))
        said.extend(Padding(finding_text(finding), (0, 0, 0, 2)) for finding in moment.findings)
        changed = moment.kind in ("card", "ruling")
        cells = [_hand_text(moment, hand) if changed else "" for hand in hands]
        told = said[0] if len(said) == 1 else Group(*said)
        table.add_row(after_words(moment.after), told, *([why] if wide else []), *cells)
    return table


_LOUD: Final = frozenset({"closed", "display", "ruling", "incident"})


def _why(moment: Moment, *, last: bool) -> str:
    """The reason for a card, or of what is due; what is asked for next is told by the next card, if there is one."""
    parts = []
    if moment.reason is not None:
        clause = f" ({moment.reason.clause})" if moment.reason.clause else ""
        due = "" if moment.kind == "card" else "Due: "
        parts.append(f"{due}{moment.reason.words}{clause}.")
    if moment.next is not None and last:
        parts.append(f"{moment.next}.")
    return " ".join(parts)


def card_text(card: str) -> Text:
    """A card in its colour."""
    return Text(card_words(card), "red" if card[-1] in _RED_SUITS else "")


def _hand_text(moment: Moment, hand: str) -> Text:
    total = moment.totals.get(hand)
    cards = Text(" ").join(card_text(card) for card in moment.hands[hand])
    return Text.assemble(cards, f" = {total}" if total is not None else "")


def finding_text(finding: Finding, *, rule: bool = True) -> Text:
    """A finding in its colour, with its rule."""
    style = SEVERITY_STYLE[finding.severity]
    cited = f" [{finding.rule}]" if rule and finding.rule else ""
    after = " Put right by a correction." if finding.corrected else ""
    return Text.assemble(
        (f"▲ {finding.severity} {finding.code}: ", style), finding.message, after, (cited, "dim")
    )  # fmt: skip


def bets_table(story: Story, *, wide: bool) -> Table:
    """Every bet: its stake, what was due, what moved."""
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim", expand=True)
    for name, right in (("Bet", False), ("Player", False), ("Wager", False), ("Stake", True)):
        table.add_column(name, justify="right" if right else "left", no_wrap=name == "Stake", overflow="fold")
    table.add_column("Due", justify="right", no_wrap=True)
    table.add_column("Moved", justify="right", no_wrap=True)
    table.add_column("", width=1, no_wrap=True)
    if wide:
        table.add_column("Why", style="dim", ratio=1)
    for line in sorted(story.bets, key=lambda line: _by_number(line.bet.bet)):
        bet, currency = line.bet, story.currency
        who = f"{bet.player or 'unknown'} @{bet.position}"
        wager: RenderableType = line.title
        row: list[RenderableType] = [
            bet.bet, who, wager, amount_words(bet.stake, currency), _net_words(bet.expected, currency),
            _net_words(bet.actual, currency), _mark(line),
        ]  # fmt: skip
        table.add_row(*row, *([_due_words(line)] if wide else []))
    stakes, due, moved = totals_of(story.bets)
    due_words = "?" if due is None else signed_words(due, story.currency)
    totals = [
        "",
        "",
        "In all",
        amount_words(stakes, story.currency),
        due_words,
        signed_words(moved, story.currency),
        "",
    ]
    table.add_section()
    table.add_row(*(Text(each, "bold") for each in totals))
    return table


def _by_number(name: str) -> tuple[tuple[str, int], ...]:
    """So that b2 comes before b10."""
    return tuple((word, int(digits or 0)) for word, digits in re.findall(r"(\D*)(\d*)", name))


def totals_of(lines: Iterable[BetLine]) -> tuple[Fraction, Fraction | None, Fraction]:
    """Stakes, what players were due and what they got, in all; due is None where it cannot be said of a bet."""
    stakes, moved, due = Fraction(0), Fraction(0), Fraction(0)
    known = True
    for line in lines:
        stakes += line.bet.stake
        if line.bet.actual is not None:
            moved += line.bet.actual.paid - line.bet.actual.collected
        if line.bet.expected is None:
            known = False
        else:
            due += line.bet.expected.paid - line.bet.expected.collected
    return stakes, due if known else None, moved


def _due_words(line: BetLine) -> str:
    if line.reason is None:
        return "cannot be said"
    return f"{line.reason.words}{f' ({line.reason.clause})' if line.reason.clause else ''}"


def _net_words(settled: Settled | None, currency: str | None) -> str:
    if settled is None:
        return "–"
    return signed_words(Fraction(settled.paid) - settled.collected, currency)


def _mark(line: BetLine) -> Text:
    if line.right is None:
        return Text("?", "yellow")
    return Text("✓", "green") if line.right else Text("✗", "bold red")


def ending(story: Story) -> RenderableType:
    """The outcome, the findings once more, and every clause that was cited, in our own words."""
    lines: list[RenderableType] = []
    if story.outcome is not None:
        lines.append(Text(f"By the cards: {story.outcome}.", "bold"))
    if story.findings:
        count = "1 finding" if len(story.findings) == 1 else f"{len(story.findings)} findings"
        lines.append(Rule(f"{count} (amounts in minor units)", style="dim"))
        at = {finding.id: moment.after for moment in story.moments for finding in moment.findings}
        for finding in story.findings:
            lines.append(Text.assemble((f"{after_words(at[finding.id]):>7}  ", "dim"), finding_text(finding)))
    elif story.status is not None:
        lines.append(Text("Nothing was found.", "green"))
    if story.clauses:
        lines.append(Rule("Clauses", style="dim"))
        lines.extend(Text(clause_words(clause), "dim") for clause in story.clauses)
    if story.digest is not None:
        lines.append(Text(f"Digest of the facts: {story.digest}", "dim"))
    return Group(*lines)


def clause_words(cited: str) -> str:
    """A clause with what it is about."""
    document, _, number = cited.rpartition(" ")
    subject = _SUBJECT.get((document, number))
    return cited if subject is None else f"{cited}: {subject}"
