"""What the page gets beside viser's own: its looks, its cards and its drop zone."""
