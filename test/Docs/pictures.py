# The pictures of the documentation are what their script draws of the formats' facts, and are SVG.
# RUN: %python %src_root/scripts/docs/pictures.py %tools_dir/quant-float-opt %t
# RUN: %python %s %t %src_root/docs/pictures %src_root/lib
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

drawn, committed = ({p.name: p for p in pathlib.Path(f).iterdir()} for f in sys.argv[1:3])
assert drawn.keys() == committed.keys(), drawn.keys() ^ committed.keys()
for name, path in drawn.items():
    text = path.read_text()
    assert text == committed[name].read_text(), f"run scripts/docs/pictures.py: {name} is old"
    root = tree.fromstring(text)
    assert root.get("aria-label") and "prefers-color-scheme:dark" in text, name
    width, height = map(float, root.get("viewBox").split()[2:])
    for element in root.iter():
        x, y = element.get("x"), element.get("y")
        assert x is None or (0 <= float(x) <= width and 0 <= float(y) <= height), element.attrib
        # Words end within the picture, as far as their number tells.
        if element.tag.endswith("text"):
            style = element.get("class", "")
            length = len(element.text) * (7.3 if "code" in style else 6.4)
            share = 0.5 if "middle" in style else 1 if "end" in style else 0
            assert float(x) + (1 - share) * length <= width + 6, element.text

# The facts, by those of the standards.
words = re.sub("<[^>]+>", "\n", drawn["formats.svg"].read_text())
for fact in ("bias 7, from 2⁻⁹ to 448", "bias 16, from 2⁻¹⁷ to 57344", "bias 1, from 0.5 to 6"):
    assert fact in words, fact
assert "no −0, no ∞, NaN 0x80" in words and "bias 127, from 2⁻¹²⁷ to 2¹²⁷" in words

# Every library is in the picture of the layers.
words = re.sub("<[^>]+>", "\n", drawn["layers.svg"].read_text())
for folder in pathlib.Path(sys.argv[3]).iterdir():
    assert not folder.is_dir() or folder.name in words, folder.name
