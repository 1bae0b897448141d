"""A round's story on the terminal: heading, moments with the hands beside them, money, findings, clauses."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.rule import Rule
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from games.register import REGISTER
from replay.bets import BetLine
from replay.cards import card_words
from replay.story import Moment, Story
from schemas.findings import Finding
from schemas.money import amount_words, signed_words
from schemas.sentences import sentence_in
from schemas.verdicts import Settled
from tablewatch.commands.columns import GAP, Cell, fitting, in_columns, one
from tablewatch.commands.paper import paper
from tablewatch.commands.visible import visible, visible_lines, visible_text

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
SEVERITY_SHAPE: Final[Mapping[str, str]] = {"critical": "◆", "high": "▲", "medium": "●", "low": "■"}
"""As the console draws them: a colour alone says nothing on paper, or to an eye that cannot tell it."""
_RED_SUITS: Final = "HD"
WIDE: Final = 110
"""From so many columns on, reasons have a column of their own."""
_SUBJECT: Final = {(clause.document, clause.number): clause.subject for clause in REGISTER}


class _Sheet(Console):
    """Shows the control characters of what is printed; its own, of styles and of the screen, it sends."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible_lines(segment.text), segment.style)


def sheet() -> Console:
    """The console that rounds are printed on, as wide as `paper`: every text is taken as it is, since the names of
    bets, players and dealers may hold anything; control characters are shown."""
    width = paper().width
    return _Sheet(highlight=False, markup=False, emoji=False, width=width)


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
    console.print(heading(story))
    console.print()
    console.print(moments_text(console, story, story.moments))
    if story.bets:
        console.print()
        console.print(bets_text(console, story))
    console.print()
    console.print(ending(story))


def heading(story: Story) -> RenderableType:
    """What round this is, how it ended, and by which rules it was judged."""
    title = Text.assemble(
        (visible(f"{story.table} · shoe {story.shoe} · round {story.round}"), "bold"),
        "  ",
        (story.title or "game not known", ""),
    )
    status = story.status or ("over, and no verdict is stored" if story.is_over else "open, not judged yet")
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
    lines: list[RenderableType] = [line, Text(visible(" · ".join(filter(None, about))), "dim")]
    if rules:
        lines.append(Text(" · ".join(rules), "dim"))
    return Group(*lines)


def _named(what: str, name: str | None) -> str:
    return f"{what} {name}" if name else ""


def moments_text(
    console: Console, story: Story, moments: Sequence[Moment], *, current: int | None = None, heading: bool = True
) -> Text:
    """The moments, with the hands as they lie after each; ``current`` is shown bold."""
    wide = console.width >= WIDE
    hands = tuple(story.moments[-1].hands) if story.moments else ()
    last_card = next((each for each in reversed(story.moments) if each.kind == "card"), None)
    names = ["After", "What happened", *(["Why"] if wide else []), *(hand.capitalize() for hand in hands)]
    rows: list[list[Cell]] = [[one(name, "dim") for name in names]] if heading else []
    for number, moment in enumerate(moments):
        why = _why(moment, last=moment is last_card)
        said: list[tuple[int, Text]] = [
            (0, Text(moment.words, "bold" if number == current or moment.kind in _LOUD else ""))
        ]
        if why and not wide:
            said.append((2, Text(why, "dim")))
        said.extend((2, finding_text(finding, story.currency)) for finding in moment.findings)
        changed = moment.kind in ("card", "ruling")
        cells = [one(_hand_text(moment, hand) if changed else "") for hand in hands]
        rows.append([one(after_words(moment.after), "dim"), said, *([one(why, "dim")] if wide else []), *cells])
    hand_widths = [max(14 if wide else 13, max((text.cell_len for row in rows for _, text in row[place]), default=0))
                   for place in range(-len(hands), 0)]  # fmt: skip
    left = console.width - 8 - sum(hand_widths) - GAP * (len(names) - 1)
    widths = [8, *((left * 5 // 9, left - left * 5 // 9) if wide else (left,)), *hand_widths]
    return in_columns(console, rows, widths, right=(0,))


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


def finding_text(finding: Finding, currency: str | None) -> Text:
    """A finding in its colour, with its rule; its amounts in the currency of its table."""
    style = SEVERITY_STYLE[finding.severity]
    said = sentence_in(currency, finding.code, finding.message)
    after = " Put right by a correction." if finding.corrected else ""
    cited = f" [{finding.rule}]" if finding.rule else ""
    shape = SEVERITY_SHAPE[finding.severity]
    return visible_text(
        Text.assemble((f"{shape} {finding.severity} {finding.code}: ", style), said, after, (cited, "dim"))
    )


def bets_text(console: Console, story: Story) -> Text:
    """Every bet: its stake, what was due, what moved."""
    wide, currency = console.width >= WIDE, story.currency
    rows: list[list[Cell]] = [[one(name, "dim") for name in ("Bet", "Player", "Wager", "Stake", "Due", "Moved", "")]]
    reasons = ["Why"]
    for line in sorted(story.bets, key=lambda line: by_number(line.bet.bet)):
        bet = line.bet
        row: list[str | Text] = [
            bet.bet, f"{bet.player or 'unknown'} @{bet.position}", line.title, amount_words(bet.stake, currency),
            _net_words(bet.expected, currency), _net_words(bet.actual, currency), _mark(line),
        ]  # fmt: skip
        rows.append([one(each) for each in row])
        reasons.append(_due_words(line))
    stakes, due, moved = totals_of(story.bets)
    due_words = "?" if due is None else signed_words(due, currency)
    in_all = ("", "", "In all", amount_words(stakes, currency), due_words, signed_words(moved, currency), "")
    rows.append([one(each, "bold") for each in in_all])
    reasons.append("")
    widths = fitting(rows)
    for place in (0, 1, 2):
        # Names may be of any length: they are folded where the amounts would not fit beside them.
        over = sum(widths) + GAP * (len(widths) - 1) - console.width
        widths[place] -= min(max(over, 0), max(widths[place] - 10, 0))
    if wide:
        rows = [[*row, one(reason, "dim")] for row, reason in zip(rows, reasons, strict=True)]
        widths.append(max(console.width - sum(widths) - GAP * len(widths), 20))
    return in_columns(console, rows, widths, right=(3, 4, 5))


def by_number(name: str) -> tuple[tuple[str, int], ...]:
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
        unit = "" if story.currency else " (amounts in minor units: the currency is not known)"
        lines.append(Rule(f"{count}{unit}", style="dim"))
        at = {finding.id: moment.after for moment in story.moments for finding in moment.findings}
        for finding in story.findings:
            lines.append(
                Text.assemble((f"{after_words(at[finding.id]):>7}  ", "dim"), finding_text(finding, story.currency))
            )
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
