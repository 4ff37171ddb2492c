"""A tree of rigid segments as kernels: its plan, its mass matrix by blocks, its joints, its contacts."""
