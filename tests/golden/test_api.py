"""The public names as api.txt says: whoever changes one does so on purpose, and says it in CHANGELOG.md.

Accept what is there now with `PLIANT_ACCEPT=1 python -m pytest tests/golden/test_api.py`.
"""

import inspect
import os
from pathlib import Path

import pliant
from pliant.description import Description, cards
from pliant.integrators import INTEGRATORS
from pliant.sinks.formats import formats

PAGE = Path(__file__).with_name("api.txt")


def parameters(function):
    """Names and kinds, without annotations and defaults, which change more often and break nobody."""
    shown = [p.replace(annotation=p.empty, default=p.empty) for p in inspect.signature(function).parameters.values()]
    return str(inspect.Signature([p for p in shown if p.name not in ("self", "cls")]))


def lines_of(name, thing):
    """One line per promise: a class, its bases, its fields, its methods; a function; the keys of a table."""
    if isinstance(thing, dict):
        yield from (f"{name}[{key!r}]" for key in sorted(thing))
    elif inspect.isclass(thing):
        bases = [base.__name__ for base in thing.__mro__[1:-1] if base.__module__ in ("builtins", "pliant.errors")]
        yield f"class {name}({', '.join(bases)})"
        if issubclass(thing, Description):
            yield from (f"{name}.{card.name}" + (f" [{card.unit}]" if card.unit else "") for card in cards(thing))
        for method, function in inspect.getmembers(thing):
            own = (getattr(function, "__module__", "") or "").startswith("pliant.") and not hasattr(Description, method)
            if own and not method.startswith(("_", "model_")) and callable(function):
                yield f"{name}.{method}{parameters(function)}"
    elif callable(thing):
        yield f"{name}{parameters(thing)}"
    else:
        yield f"{name}: {type(thing).__name__}"


def surface():
    lines = [line for name in sorted(pliant.__all__) for line in lines_of(name, getattr(pliant, name))]
    lines += [f"integrator {name}: {', '.join(card.name for card in cards(INTEGRATORS[name]))}" for name in INTEGRATORS]
    lines += [f"format {suffix}" for suffix in sorted(formats())]
    return lines + [f"scene {name}" for name in sorted(pliant.gallery.SCENES)]


def test_the_public_names_are_those_of_the_page():
    found = surface()
    if os.environ.get("PLIANT_ACCEPT"):
        PAGE.write_text("\n".join(found) + "\n", encoding="utf-8")
    known = PAGE.read_text(encoding="utf-8").splitlines()
    gone, new = sorted(set(known) - set(found)), sorted(set(found) - set(known))
    assert (gone, new) == ([], []), "see the first lines of this file"


INTEGRATOR_NAMES = "explicit symplectic filtered implicit approximate harmonic xpbd pbd procedural"
SCENE_NAMES = """
    curtain flag ribbon tablecloth harmonic_net balloon balloons puppet puppet_fall tshirt sweater outfit pose_jump show
"""
FABRIC_NAMES = "silk cotton wool denim leather paper rubber chiffon"


def test_what_was_promised_before_anything_was_built_is_there():
    assert set(INTEGRATOR_NAMES.split()) <= set(INTEGRATORS)
    assert set(SCENE_NAMES.split()) <= set(pliant.gallery.SCENES)
    assert set(FABRIC_NAMES.split()) <= set(pliant.FABRICS)
    for error, builtin in {
        pliant.SceneError: ValueError,
        pliant.UnsupportedError: TypeError,
        pliant.UnstableError: ArithmeticError,
        pliant.FormatError: ValueError,
    }.items():
        assert issubclass(error, builtin)
        assert issubclass(error, pliant.PliantError)
