"""Frame -> Frame: the same answer for the same frame, whatever came before."""
