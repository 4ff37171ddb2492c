"""pliant: real-time animation of flexible and articulated things."""
