"""Pictures for the report, as SVG: the hands of a round, the roads of its shoe, and its moments on a line of time."""

from collections.abc import Mapping, Sequence
from html import escape

from replay.roads import Roads
from replay.story import Story

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣", "F": "火", "G": "金", "E": "土", "W": "木", "A": "水"}
_RED = frozenset("HDFG")
_COLUMNS, _ROWS = 12, 6
"""A road is drawn at least so large, as on the boards of the floor."""
_WINNERS = {"banker": "#b3261e", "tiger": "#b3261e", "player": "#1d4f91", "dragon": "#1d4f91", "tie": "#2e7d32"}


def hands_picture(hands: Mapping[str, Sequence[str]], totals: Mapping[str, object]) -> str:
    """The cards of each hand side by side, with its total."""
    parts, left = [], 10
    for hand, cards in hands.items():
        total = escape(str(totals.get(hand, "")))
        parts.append(f'<text x="{left}" y="20" class="name">{escape(hand.capitalize())} {total}</text>')
        for place, card in enumerate(cards):
            parts.append(_card(card, left + place * 62, 32))
        left += max(len(cards), 2) * 62 + 40
    return f'<svg role="img" aria-label="hands" viewBox="0 0 {left} 130" width="{left}">{"".join(parts)}</svg>'


def _card(card: str, left: int, top: int) -> str:
    rank, suit = card[:-1], card[-1]
    colour = "#b3261e" if suit in _RED else "#1b1b1b"
    return (
        f'<g fill="{colour}"><rect x="{left}" y="{top}" width="54" height="84" rx="6" fill="#fff" stroke="#777"/>'
        f'<text x="{left + 8}" y="{top + 24}" font-size="20">{escape(rank)}</text>'
        f'<text x="{left + 27}" y="{top + 62}" font-size="28" text-anchor="middle">{_SUITS[suit]}</text></g>'
    )


def roads_picture(roads: Roads, marked: int) -> str:
    """Bead plate and big road; the round of the report has a frame."""
    plate = [(each.place.column, each.place.row, each.bead.winner, each.bead.round, "") for each in roads.bead_plate]
    big = [
        (each.place.column, each.place.row, each.bead.winner, each.bead.round, str(each.ties or ""))
        for each in roads.big_road
    ]
    return _road("Bead plate", plate, marked, filled=True) + _road("Big road", big, marked, filled=False)


def _road(title: str, cells: Sequence[tuple[int, int, str, int, str]], marked: int, *, filled: bool) -> str:
    columns = max(max((column for column, *_ in cells), default=0) + 1, _COLUMNS)
    rows = max(max((row for _, row, *_ in cells), default=0) + 1, _ROWS)
    width, height = 7 + columns * 22, 25 + rows * 22
    lines = [f"M{3 + 22 * column} 21V{height - 4}" for column in range(columns + 1)]
    lines += [f"M3 {21 + 22 * row}H{width - 4}" for row in range(rows + 1)]
    parts = [
        f'<text x="4" y="14" class="name">{title}</text>',
        f'<path d="{"".join(lines)}" fill="none" stroke="#e2e2e2"/>',
    ]
    for column, row, winner, number, words in cells:
        x, y = 14 + column * 22, 32 + row * 22
        colour = _WINNERS.get(winner, "#555")
        fill = colour if filled else "none"
        if number == marked:
            parts.append(f'<rect x="{x - 11}" y="{y - 11}" width="22" height="22" fill="#ffe9a8" stroke="#b8860b"/>')
        parts.append(f'<circle cx="{x}" cy="{y}" r="8" fill="{fill}" stroke="{colour}" stroke-width="2.5"/>')
        letter = winner[:1].upper() if filled else words
        shade = "#fff" if filled else "#2e7d32"
        parts.append(f'<text x="{x}" y="{y + 4}" font-size="10" fill="{shade}" text-anchor="middle">{letter}</text>')
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg role="img" aria-label="{title}" {size}>{"".join(parts)}</svg>'


def timeline_picture(story: Story) -> str:
    """The moments of a round along its time, a row for each kind."""
    kinds = list(dict.fromkeys(moment.kind for moment in story.moments))
    span = max((moment.after for moment in story.moments), default=0) or 1
    height = 30 + 22 * len(kinds)
    parts = []
    for row, kind in enumerate(kinds):
        y = 24 + 22 * row
        parts.append(f'<text x="96" y="{y + 4}" font-size="12" text-anchor="end">{escape(kind)}</text>')
        parts.append(f'<line x1="104" y1="{y}" x2="764" y2="{y}" stroke="#ddd"/>')
        for moment in story.moments:
            if moment.kind == kind:
                x = 104 + 660 * moment.after // span
                colour = "#b3261e" if moment.findings else "#1d4f91"
                words = escape(f"{moment.after / 1_000_000:.3f} s: {moment.words}")
                parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{colour}"><title>{words}</title></circle>')
    seconds = f"{span / 1_000_000:.1f} s"
    parts.append(f'<text x="764" y="{height - 4}" font-size="11" text-anchor="end">{seconds}</text>')
    return f'<svg role="img" aria-label="timeline" viewBox="0 0 780 {height}" width="780">{"".join(parts)}</svg>'
