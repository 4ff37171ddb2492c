// Cards that can be pressed, files that can be dropped, keys for the deck.
(() => {
  "use strict";
  const tell = (to, value) => {
    // the same value twice is no news to the page's server, so it is blanked in between
    const send = window.__viserMutable && window.__viserMutable.sendMessage;
    if (send) for (const said of ["", value]) send({ type: "GuiUpdateMessage", uuid: to, updates: { value: said } });
  };
  document.addEventListener("click", (event) => {
    const card = event.target.closest && event.target.closest("[data-pliant-to]");
    if (card) tell(card.dataset.pliantTo, card.dataset.pliantValue);
  });
  const veil = document.createElement("div");
  veil.className = "pliant-veil";
  veil.textContent = "drop it: mesh, character, motion (.bvh) or scene (.toml)";
  addEventListener("DOMContentLoaded", () => document.body.appendChild(veil));
  const carries = (event) => event.dataTransfer && Array.from(event.dataTransfer.types).includes("Files");
  addEventListener("dragover", (event) => { if (carries(event)) { event.preventDefault(); veil.classList.add("on"); } });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) veil.classList.remove("on"); });
  addEventListener("drop", (event) => {
    veil.classList.remove("on");
    if (!carries(event) || !event.dataTransfer.files.length) return;
    event.preventDefault();
    const input = document.querySelector('input[type="file"][id^="file_upload_"]');
    if (!input) return;
    const chosen = new DataTransfer();
    chosen.items.add(event.dataTransfer.files[0]);
    input.files = chosen.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
})();
