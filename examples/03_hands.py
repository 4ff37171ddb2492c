"""Everything the studio does, without the studio: grab, move, let go, save, repeat."""

import pliant

session = pliant.Session(pliant.gallery.load("curtain"))
hand = session.grab("curtain", point=(0.5, 1.4, 0.5))
for step in range(30):
    session.move(hand, (0.5, 1.4 + 0.01 * step, 0.5))
    session.step()
session.drop(hand)
session.set("curtain.fabric.density", 0.3)
for _ in range(15):
    frame = session.step()
print("state after the drag:", session.state.hash()[:16])

again = session.recorded()  # a scene that remembers what was done
repeated = pliant.Session(again)
for _ in range(45):
    repeated.step()
print("the same, repeated:  ", repeated.state.hash()[:16])
assert repeated.state.hash() == session.state.hash()
