"""Every file of a room is listed, and every part can show itself."""

import pytest

from conformance.rooms import ROOMS, concrete, defined

CASES = [(room, name) for room in ROOMS for name in concrete(room)]


def label(case):
    return getattr(case, "__name__", str(case)).rsplit(".", 1)[-1]


@pytest.mark.parametrize("room", ROOMS, ids=label)
def test_a_room_lists_every_part_it_holds(room):
    assert defined(room) == set(concrete(room))


@pytest.mark.parametrize(("room", "name"), CASES, ids=label)
def test_a_part_shows_an_example_and_is_frozen(room, name):
    kind = concrete(room)[name]
    example = kind.example()
    assert type(example) is kind
    assert example == example.replace()
    for field in type(example).model_fields:
        with pytest.raises(ValueError, match="frozen"):
            setattr(example, field, None)


@pytest.mark.parametrize(("room", "name"), CASES, ids=label)
def test_every_field_says_what_it_means(room, name):
    for field, info in concrete(room)[name].model_fields.items():
        assert info.description, f"{name}.{field} has no help"
