"""The README's Python example runs as it stands there."""

import re
from pathlib import Path

from rungs import needs_native

README = Path(__file__).parents[2] / "README.md"


@needs_native
def test_the_python_example_runs() -> None:
    examples = re.findall(
        r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert examples
    for example in examples:
        exec(compile(example, str(README), "exec"), {})  # noqa: S102 the README is ours
