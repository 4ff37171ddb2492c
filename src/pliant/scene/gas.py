"""What a balloon is filled with, and how the gas comes and goes."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from pliant.constants import AIR_MOLAR_MASS, ATMOSPHERE, GAS_CONSTANT, ROOM_TEMPERATURE
from pliant.description import Description, quantity
from pliant.errors import SceneError, unknown

MOLAR_MASS = {"helium": 4.002602e-3, "air": AIR_MOLAR_MASS, "hydrogen": 2.01588e-3, "hot-air": AIR_MOLAR_MASS}
HEAT_RATIO = {"helium": 5.0 / 3.0, "air": 1.4, "hydrogen": 1.41, "hot-air": 1.4}
Kind = Literal["helium", "air", "hydrogen", "hot-air"]


class Gas(Description):
    """An ideal gas in a closed skin. Volumes are as it would take at ambient pressure and its own temperature."""

    kind: Kind = quantity("helium", help="Which gas: helium, air, hydrogen, hot-air")
    fill: float = quantity(1.0, low=0.0, high=1e3, slider=(0.2, 10), help="Gas at the start, over the rest volume")
    volume: float | None = quantity(None, unit="m^3", low=0.0, high=1e6, help="Gas at the start, instead of `fill`")
    temperature: float = quantity(
        ROOM_TEMPERATURE, unit="K", above=0.0, high=5e3, slider=(250, 450), help="Temperature of the gas"
    )
    process: Literal["isothermal", "adiabatic"] = quantity("isothermal", help="Whether it keeps its temperature")
    pump: float = quantity(0.0, unit="m^3/s", low=-1e3, high=1e3, slider=(0, 0.05), help="Flow of the pump; < 0: out")
    pump_from: float = quantity(0.0, unit="s", low=0.0, high=1e6, help="When the pump starts")
    pump_until: float | None = quantity(None, unit="s", low=0.0, high=1e6, help="When it stops; none: never")
    target: float | None = quantity(None, unit="m^3", low=0.0, high=1e6, help="Volume that the pump fills to and keeps")
    breath: float = quantity(0.0, low=0.0, high=1.0, help="Share by which the target swells and shrinks")
    breath_period: float = quantity(4.0, unit="s", above=0.0, high=1e4, help="Duration of one breath")
    valve: float = quantity(1.0, low=0.0, high=1.0, slider=(0, 1), help="How far the nozzle opens: 0 shut, 1 open")
    valve_from: float | None = quantity(None, unit="s", low=0.0, high=1e6, help="When the nozzle opens; none: never")
    valve_until: float | None = quantity(None, unit="s", low=0.0, high=1e6, help="When it shuts again; none: never")
    discharge: float = quantity(0.6, above=0.0, high=1.0, help="Discharge coefficient of the nozzle")
    pressure: float = quantity(ATMOSPHERE, unit="Pa", above=0.0, high=1e9, help="Pressure of the air outside")
    air_temperature: float = quantity(ROOM_TEMPERATURE, unit="K", above=0.0, high=5e3, help="And its temperature")
    added_mass: float = quantity(0.5, low=0.0, high=2.0, help="Share of the displaced air that moves along")

    @property
    def molar_mass(self) -> float:
        """[kg/mol]."""
        return MOLAR_MASS[self.kind]

    @property
    def heat_ratio(self) -> float:
        """Ratio of specific heats if adiabatic; 1 means that the temperature stays."""
        return HEAT_RATIO[self.kind] if self.process == "adiabatic" else 1.0

    @property
    def air_density(self) -> float:
        """[kg/m^3] of the air outside."""
        return self.pressure * AIR_MOLAR_MASS / (GAS_CONSTANT * self.air_temperature)

    def moles(self, volume: float) -> float:
        """[mol] that take `volume` [m^3] at ambient pressure and the gas's own temperature."""
        return self.pressure * volume / (GAS_CONSTANT * self.temperature)


GASES: dict[str, Gas] = {
    "helium": Gas(),
    "air": Gas(kind="air"),
    "hydrogen": Gas(kind="hydrogen"),
    "hot-air": Gas(kind="hot-air", temperature=373.15),
}


def _gas(value: Any) -> Any:
    if isinstance(value, str):
        if value not in GASES:
            raise SceneError(unknown("gas", value, GASES))
        return GASES[value]
    return Gas(**value) if isinstance(value, dict) else value


GasFilling = Annotated[Gas, BeforeValidator(_gas)]
