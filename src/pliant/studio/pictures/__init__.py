"""Small pictures of the gallery's scenes, rendered by `tools/pictures`."""
