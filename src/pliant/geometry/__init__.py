"""Pure functions of meshes: no mass, no time."""
