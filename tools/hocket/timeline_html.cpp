// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page around a picture: zoom by wheel, panning by drag, tooltips; nothing comes from the network.
#include "timeline_svg.hpp"

namespace hocket::tool {
namespace {

constexpr const char* style = R"(
html, body { margin: 0; height: 100%; overflow: hidden; background: #fff; }
svg { width: 100%; height: 100%; cursor: grab; touch-action: none; }
svg.drag { cursor: grabbing; }
#tip { position: fixed; display: none; max-width: 40em; padding: 4px 8px; pointer-events: none; white-space: pre-line;
  font: 13px 'DejaVu Sans', 'Segoe UI', Arial, sans-serif; background: #222; color: #fff; border-radius: 4px; }
#help { position: fixed; right: 8px; bottom: 4px; font: 11px 'DejaVu Sans', Arial, sans-serif; color: #777; }
)";

constexpr const char* script = R"(
const svg = document.querySelector('svg'), tip = document.getElementById('tip'), view = svg.viewBox.baseVal;
const whole = [view.x, view.y, view.width, view.height];
let drag = null;
// The browser's own tooltips come late: the texts move from <title> to ours.
for (const title of svg.querySelectorAll('title')) {
  if (title.parentNode != svg) title.parentNode.dataset.tip = title.textContent;
  title.remove();
}
const at = e => new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
svg.addEventListener('wheel', e => {
  e.preventDefault();
  const factor = Math.exp(Math.sign(e.deltaY) * 0.2), p = at(e), width = view.width * factor;
  if (width < whole[2] / 2000 || width > whole[2] * 4) return;
  view.x = p.x - (p.x - view.x) * factor;
  view.y = p.y - (p.y - view.y) * factor;
  view.width = width;
  view.height *= factor;
}, {passive: false});
svg.addEventListener('pointerdown', e => { drag = at(e); svg.setPointerCapture(e.pointerId); svg.classList.add('drag'); });
svg.addEventListener('pointerup', () => { drag = null; svg.classList.remove('drag'); });
svg.addEventListener('pointercancel', () => { drag = null; svg.classList.remove('drag'); });
svg.addEventListener('dblclick', () => { [view.x, view.y, view.width, view.height] = whole; });
svg.addEventListener('pointermove', e => {
  if (drag) {
    const p = at(e);
    view.x += drag.x - p.x;
    view.y += drag.y - p.y;
  }
  const line = drag ? null : e.target.closest('[data-tip]');
  tip.style.display = line ? 'block' : 'none';
  if (!line) return;
  tip.textContent = line.dataset.tip;
  tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
  tip.style.top = Math.min(e.clientY + 16, innerHeight - tip.offsetHeight - 8) + 'px';
});
svg.addEventListener('pointerleave', () => { tip.style.display = 'none'; });
)";

}  // namespace

std::string html_page(const std::string& picture, const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n{}<div id=\"tip\"></div>\n"
      "<div id=\"help\">wheel: zoom, drag: move, double click: "
      "all</div>\n<script>{}</script>\n</body>\n</html>\n",
      escaped(title), style, picture, script);
}

}  // namespace hocket::tool
