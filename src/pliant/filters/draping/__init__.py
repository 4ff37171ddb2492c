"""Garments that drape in an instant: pose in, wrinkled mesh out, the same answer for the same pose."""
