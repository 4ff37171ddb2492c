"""Bodies that wear garments: where they come from, what their bones mean, and how they are posed."""
