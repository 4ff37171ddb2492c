"""What lets gas from one balloon into another."""

from pliant.description import Description, quantity


class Pipe(Description):
    """A tube between two balloons of the same gas: it flows from the higher pressure to the lower."""

    a: str = quantity(help="One balloon's name")
    b: str = quantity(help="The other's")
    radius: float = quantity(3e-3, unit="m", above=0.0, high=1.0, slider=(5e-4, 0.02), help="Inner radius of the tube")
    discharge: float = quantity(0.6, above=0.0, high=1.0, help="Discharge coefficient")
    opens: float = quantity(0.0, unit="s", low=0.0, high=1e6, help="When its tap is opened")
    shuts: float | None = quantity(None, unit="s", low=0.0, high=1e6, help="When it is shut again; none: never")
