"""An episode to step through in a page: one HTML fragment, a few buttons, no file beside it.

Where scripts are not run there are squares without signs, or no picture, and a line that says so.
"""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from ....tasks.box_world.rules import BLANK, CODES, EMPTY, PLAYER
from .board import FLOOR, PLACE
from .colours import hexadecimal, letters
from .episode import Frame

SIZE = 34  # pixels of a tile
GAP = 18  # between board and inventory
STILL = "The board is drawn by a script, which does not run here; in JupyterLab, run this cell."

_STYLE = (
    "font:14px/1.4 system-ui,sans-serif;max-width:100%;background:#fff;color:#222;"
    "padding:8px;border:1px solid #ddd;border-radius:6px;box-sizing:border-box;width:max-content"
)


def replay(
    episodes: Mapping[str, Sequence[Frame]], signs: Mapping[int, str], name: str = "replay"
) -> str:
    """Episodes of one board, to choose from and step through.

    Args:
        episodes: by a title, frames.
        signs: what stands on the tiles, by code.
        name: of the fragment in its page: letters and hyphens.

    Returns:
        HTML.

    Raises:
        ValueError: if there is no episode.

    Example:
        >>> frame = Frame(np.zeros((2, 3), np.uint8), 0, 0.0, 0.0, "start")
        >>> page = replay({"one": [frame]}, {})
        >>> page.count("<rect"), "start" in page
        (6, True)
    """
    if not episodes:
        raise ValueError("episodes is empty; expected at least one")
    first = next(iter(episodes.values()))[0]
    wide = first.picture.shape[1]
    faces = {
        code: [
            FLOOR if code in (BLANK, PLAYER) else PLACE if code == EMPTY else hexadecimal(code),
            letters(code),
            "●" if code == PLAYER else signs.get(code, ""),
        ]
        for code in range(CODES)
    }
    faces[PLAYER][1] = "#333"
    data = {
        "wide": wide,
        "faces": [faces[code] for code in range(CODES)],
        "episodes": [
            {
                "title": title,
                "frames": [
                    [
                        "".join(chr(65 + int(code)) for code in frame.picture.flat),
                        frame.steps,
                        frame.total,
                        frame.words,
                    ]
                    for frame in frames
                ],
            }
            for title, frames in episodes.items()
        ],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    options = "".join(f"<option>{title}</option>" for title in episodes)
    button = '<button type="button" data-move="{}" title="{}">{}</button>'
    buttons = "".join(
        button.format(*one)
        for one in (
            (-1000, "start", "|◀"),
            (-1, "one step back", "◀"),
            (1, "one step on", "▶"),
            (1000, "end", "▶|"),
            (0, "play or pause", "play"),
        )
    )
    return (
        f'<div id="{name}" style="{_STYLE}">'
        f'<label>player <select aria-label="player">{options}</select></label> {buttons}'
        f'<br><input type="range" min="0" value="0" step="1" aria-label="step" '
        f'style="width:100%;margin:6px 0">'
        f"{_drawing(first.picture, faces)}"
        f'<div role="status" aria-live="polite">{STILL}</div>'
        f"<script>{_SCRIPT.replace('NAME', name).replace('DATA', text)}</script></div>"
    )


def _drawing(picture: np.ndarray, faces: Mapping[int, Sequence[str]]) -> str:
    """The first picture as SVG: for each tile a square, a text, and a keyhole shown on locks.

    The script writes the signs: pages that leave out drawings would keep them as loose letters.
    """
    rows, wide = picture.shape
    parts = []
    for (row, column), code in np.ndenumerate(picture):
        x, y = column * SIZE + GAP * (column == wide - 1), row * SIZE
        color, ink, _ = faces[int(code)]
        nothing = (BLANK, PLAYER, EMPTY)
        lock = 0 < column < wide - 1 and not {int(code), int(picture[row, column - 1])} & {*nothing}
        edge = "none" if code in nothing else "#555"
        size = 24 if code == PLAYER else 14
        middle = x + SIZE // 2
        parts.append(
            f'<rect x="{x + 1}" y="{y + 1}" width="{SIZE - 2}" height="{SIZE - 2}" rx="5" '
            f'fill="{color}" stroke="{edge}"/>'
            f'<text x="{middle}" y="{y + SIZE // 2}" dx="{-5 * lock}" dominant-baseline="central" '
            f'text-anchor="middle" font-weight="bold" font-size="{size}" fill="{ink}"></text>'
            f'<path d="M{middle + 5} {y + 22}l2 -7a4 4 0 1 1 3 0l2 7z" fill="{ink}" '
            f'visibility="{"visible" if lock else "hidden"}"/>'
        )
    size = f"{wide * SIZE + GAP} {rows * SIZE}"
    return (
        f'<svg viewBox="0 0 {size}" width="{wide * SIZE + GAP}" style="max-width:100%;'
        f'display:block" role="img" aria-label="board and inventory">{"".join(parts)}</svg>'
    )


_SCRIPT = """(function(){
const root=document.getElementById("NAME"),data=DATA,pick=root.querySelector("select"),
slider=root.querySelector("input"),words=root.querySelector("[role=status]"),
tiles=root.querySelectorAll("rect"),texts=root.querySelectorAll("svg text"),
holes=root.querySelectorAll("path"),wide=data.wide,thing=code=>code!==0&&code!==2&&code!==3;
let timer=null;
const frames=()=>data.episodes[pick.selectedIndex].frames;
function show(at){const all=frames();at=Math.max(0,Math.min(all.length-1,at));
slider.max=all.length-1;slider.value=at;const [codes,steps,total,said]=all[at];
for(let k=0;k<codes.length;k++){const code=codes.charCodeAt(k)-65,[color,ink,sign]=data.faces[code],
column=k%wide,lock=column>0&&column<wide-1&&thing(code)&&thing(codes.charCodeAt(k-1)-65);
tiles[k].setAttribute("fill",color);tiles[k].setAttribute("stroke",thing(code)?"#555":"none");
texts[k].setAttribute("fill",ink);texts[k].setAttribute("dx",lock?-5:0);
texts[k].setAttribute("font-size",code===2?24:14);texts[k].textContent=sign;
holes[k].setAttribute("fill",ink);holes[k].setAttribute("visibility",lock?"visible":"hidden");}
words.textContent="step "+steps+" of "+(all.length-1)+": "+said+"; rewards so far: "+total;}
function stop(){if(timer)clearInterval(timer);timer=null;}
root.querySelectorAll("button").forEach(b=>b.addEventListener("click",()=>{
const move=Number(b.dataset.move);if(move){stop();show(Number(slider.value)+move);return;}
if(timer){stop();return;}if(slider.value===slider.max)show(0);
timer=setInterval(()=>{if(slider.value===slider.max){stop();return;}show(Number(slider.value)+1);},300);}));
slider.addEventListener("input",()=>{stop();show(Number(slider.value));});
pick.addEventListener("change",()=>{stop();show(0);});show(0);})();"""
