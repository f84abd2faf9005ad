"""Pictures of objects in notebooks."""
from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from ._result import Analysis, Result, Table
    from ._scene import Scene

_ROWS = 12  # of a table that are shown


def _number(x: Any) -> str:
    if isinstance(x, bool) or x is None:
        return escape(str(x))
    return f"{x:.6g}" if isinstance(x, (int, float)) else escape(str(x))


def _short(x: Any) -> bool:
    """A list of numbers that fits into a cell."""
    return isinstance(x, list) and 0 < len(x) <= _ROWS and all(isinstance(v, (int, float)) for v in x)


def _value(x: Any) -> str:
    return ", ".join(_number(v) for v in x) if isinstance(x, list) else _number(x)


def _grid(head: List[str], rows: List[List[str]]) -> str:
    cells = "".join(f"<th>{escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def table_html(t: "Table") -> str:
    columns = list(t.values())
    n = t.rows
    shown = list(range(n)) if n <= _ROWS else [*range(_ROWS // 2), *range(n - _ROWS // 2, n)]
    rows = [[_number(float(c[k])) for c in columns] for k in shown]
    if n > _ROWS:
        rows.insert(_ROWS // 2, ["&hellip;"] * len(columns))
    return f"<p><b>{escape(t.name)}</b>, {n} rows</p>" + _grid(list(t), rows)


def figures_html(a: "Analysis") -> str:
    rows = [[escape(k), _value(v)] for k, v in a.figures.items()
            if (isinstance(v, (int, float, str)) or _short(v)) and k not in ("name", "kind", "status")]
    return (f"<p><b>{escape(a.name)}</b> ({escape(a.kind)}): {escape(a.status)}</p>" +
            _grid(["figure", "value"], rows))


def result_html(r: "Result") -> str:
    parts = [figures_html(a) for a in r.analyses]
    told = "".join(f"<li>{escape(str(m))}</li>" for m in r.warnings)
    if told:
        parts.insert(0, f"<ul style='color:#a60'>{told}</ul>")
    alarms = "".join(f"<li>{escape(s)}</li>" for s in r.alarms)
    if alarms:
        parts.insert(0, f"<ul style='color:#c00'>{alarms}</ul>")
    return "".join(parts)


def scene_html(s: "Scene") -> str:
    i = s.info
    rows = [["nodes", str(i["nodes"])], ["unknowns", str(i["free_unknowns"])],
            ["mass (kg)", _number(i["mass_kg"])],
            ["analyses", escape(", ".join(s.analyses))]]
    rows += [[f"{escape(p['name'])} ({escape(p['unit'])})" if p["unit"] else escape(p["name"]),
              _number(p["value"])] for p in i["parameters"]]
    return f"<p><b>{escape(s.title or 'scene')}</b></p>" + _grid(["", ""], rows)
