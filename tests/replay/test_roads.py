"""The roads of a shoe against roads drawn by hand."""

from collections.abc import Sequence

import pytest

from replay.roads import ROWS, Bead, BigCell, DerivedCell, Place, roads_of

_WINNER = {"P": "player", "B": "banker", "T": "tie"}


def _beads(text: str) -> list[Bead]:
    return [Bead(number, _WINNER[letter]) for number, letter in enumerate(text, start=1)]


def _drawn(cells: Sequence[BigCell | DerivedCell]) -> list[str]:
    """A road as rows of letters: P and B, or R and b; a digit follows where a win has ties."""
    width = max((cell.place.column for cell in cells), default=-1) + 1
    board = [["." for _ in range(width)] for _ in range(ROWS)]
    for cell in cells:
        if isinstance(cell, BigCell):
            mark = cell.bead.winner[0].upper()
        else:
            mark = "R" if cell.colour == "red" else "b"
        assert board[cell.place.row][cell.place.column] == "."
        board[cell.place.row][cell.place.column] = mark
    return [row for row in ("".join(each) for each in board) if row.strip(".")]


def test_the_bead_plate_fills_columns_of_six_ties_included() -> None:
    plate = roads_of(_beads("PBTPBTPP")).bead_plate
    assert [beaded.place for beaded in plate] == [*(Place(0, row) for row in range(6)), Place(1, 0), Place(1, 1)]
    assert [beaded.bead.winner[0] for beaded in plate] == list("pbtpbtpp")


def test_the_big_road_opens_a_column_when_the_other_hand_wins() -> None:
    assert _drawn(roads_of(_beads("PPBPBBB")).big_road) == ["PBPB", "P..B", "...B"]


def test_a_tie_marks_the_win_before_it_and_opens_no_column() -> None:
    road = roads_of(_beads("PTTBTB")).big_road
    assert _drawn(road) == ["PB", ".B"]
    assert [cell.ties for cell in road] == [2, 1, 0]


def test_ties_before_the_first_win_are_counted_to_it() -> None:
    road = roads_of(_beads("TTPB"))
    assert [cell.ties for cell in road.big_road] == [2, 0]
    assert road.leading_ties == 0


def test_a_shoe_of_ties_alone_has_no_big_road_yet() -> None:
    road = roads_of(_beads("TTT"))
    assert road.big_road == () and road.leading_ties == 3
    assert road.big_eye_boy == road.small_road == road.cockroach_pig == ()


def test_a_long_column_turns_right_at_the_bottom() -> None:
    assert _drawn(roads_of(_beads("B" * 9 + "P")).big_road) == ["BP..", "B...", "B...", "B...", "B...", "BBBB"]


def test_a_column_beside_a_tail_turns_right_above_it() -> None:
    road = roads_of(_beads("B" * 8 + "P" * 6 + "B")).big_road
    assert _drawn(road) == ["BPB", "BP.", "BP.", "BP.", "BPP", "BBB"]


def test_tails_above_tails_leave_the_next_column_its_place_in_the_first_row() -> None:
    road = roads_of(_beads("B" * 7 + "P" * 6 + "B" * 6 + "P" * 6 + "B" * 6 + "P" * 6 + "B")).big_road
    assert len({cell.place for cell in road}) == len(road)
    tops = [cell.place.column for cell in road if cell.depth == 0]
    assert tops == sorted(set(tops))


def test_the_big_eye_boy_begins_with_the_second_win_of_the_second_column() -> None:
    roads = roads_of(_beads("PPBB"))
    assert [(cell.colour, cell.round) for cell in roads.big_eye_boy] == [("red", 4)]


def test_without_a_second_win_there_it_begins_with_the_third_column() -> None:
    roads = roads_of(_beads("PPBP"))
    assert [(cell.colour, cell.round) for cell in roads.big_eye_boy] == [("blue", 4)]


def test_a_hand_made_shoe_gives_the_three_derived_roads() -> None:
    """Columns of the big road: P2 B3 P1 B1 P2 B4 P1.

    Big eye boy, win by win: B.2 beside a column of 2: red; B.3 right below its end: blue; P opens, 3 against 2: blue;
    B opens, 1 against 3: blue; P opens, 1 against 1: red; P.2 below a column of 1: blue; B opens, 2 against 1: blue;
    B.2 beside 2: red; B.3 right below: blue; B.4 further below: red; P opens, 4 against 2: blue.
    """
    roads = roads_of(_beads("PPBBBPBPPBBBBP"))
    assert "".join(cell.colour[0] for cell in roads.big_eye_boy) == "rbbbrbbrbrb"
    # Small road: from the second win of the third column; there is none, so the fourth column opens it: the third (1)
    # against the first (2): blue; fifth opens, fourth (1) against second (3): blue; its second win, two back a run of
    # 1, right below: blue; sixth opens, 2 against 1: blue; .2 two back 1: blue; .3: red; .4: red; seventh: 4 against 1.
    assert "".join(cell.colour[0] for cell in roads.small_road) == "bbbbbrrb"
    # Cockroach pig: fifth column opens, fourth (1) against first (2): blue; .2 three back a column of 3: red; sixth
    # opens, 2 against 3: blue; .2 three back 1: blue; .3: red; .4: red; seventh opens, 4 against 1: blue.
    assert "".join(cell.colour[0] for cell in roads.cockroach_pig) == "brbbrrb"


def test_a_shoe_that_chops_is_red_throughout() -> None:
    roads = roads_of(_beads("PB" * 20))
    for road in (roads.big_eye_boy, roads.small_road, roads.cockroach_pig):
        assert road and {cell.colour for cell in road} == {"red"}
    assert _drawn(roads.big_eye_boy)[-1].endswith("R")


@pytest.mark.parametrize("text", ["PTPBBTBPPTTPB", "TTBBTPTPTPB"])
def test_ties_do_not_change_the_derived_roads(text: str) -> None:
    with_ties, without = roads_of(_beads(text)), roads_of(_beads(text.replace("T", "")))
    for name in ("big_eye_boy", "small_road", "cockroach_pig"):
        marks = [[(cell.place, cell.colour) for cell in getattr(roads, name)] for roads in (with_ties, without)]
        assert marks[0] == marks[1]


def test_dragon_tiger_shoes_have_roads_too() -> None:
    road = roads_of([Bead(1, "dragon"), Bead(2, "tiger"), Bead(3, "tie"), Bead(4, "tiger")]).big_road
    assert [(cell.bead.winner, cell.ties) for cell in road] == [("dragon", 0), ("tiger", 1), ("tiger", 0)]
