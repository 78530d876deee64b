"""What the screens of the simulated office cost, and the estimate of tokens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from written.screens import assert_well_formed, office

from protocol.prompt_form import diff_form, estimate_tokens, whole_form

OFFICE = office()


def test_screens_of_the_office_are_short_and_whole() -> None:
    forms = [whole_form(state) for state in OFFICE]
    for state, form in zip(OFFICE, forms, strict=True):
        assert not form.left_out
        assert_well_formed(form)
        assert form.tokens / len(state.elements) < 23, "by the estimate, which counts too many"
    assert sum(form.tokens for form in forms) / sum(len(state.elements) for state in OFFICE) < 13


def test_filling_a_field_costs_a_few_lines() -> None:
    form = diff_form(OFFICE[-2], OFFICE[-1])
    assert not form.whole
    assert [line[:1] for line in form.text.splitlines()] == ["#", "~"]
    assert '= "$1.00" [focused]' in form.text


@pytest.mark.slow("a benchmark")
def test_the_benchmark_finds_nothing_dropped_and_few_tokens() -> None:
    script = Path(__file__).resolve().parents[3] / "benchmarks" / "tokens.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env={**os.environ, "TIKTOKEN_CACHE_DIR": ""})
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.strip("| ").split("|") for line in done.stdout.splitlines() if line.startswith("| prompt form")]
    assert [row[-1].strip() for row in rows] == ["0"] * 4


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [
        ('e12 button "Save" [disabled] @640,360\n', 14, 14),
        (' e17 row | e18 "mina.lindgren@example.com" | e19 link "Office move 80" @400,230 | e20 "2026-05-06"\n', 39, 39),
        ('e9 textbox "Größe der Überweisung" = "1 000,00 €" [required] @184,242\n', 27, 28),
        ('e4 text "Пожалуйста, подтвердите оплату счёта до пятницы."\n', 19, 30),
        ('e4 text "请在星期五之前确认付款。"\n', 13, 16),
        ('e4 text "يرجى تأكيد الدفع قبل يوم الجمعة"\n', 14, 28),
        ('e4 text "กรุณายืนยันการชำระเงินก่อนวันศุกร์"\n', 19, 33),
        ('e4 text "🎉 Done 👩\u200d👩\u200d👧 ❤️"\n', 17, 23),
        ('e7 link "https://example.com/a/b?id=8f3c2a91&lang=de#top" @10,10\n', 31, 31),
        ('win.main.panel-3/btn_ok button "\\u{202e}x\\n\\n\\"" [unsure]\n', 23, 23),
        ('e1 text "ok I am on it as is, if so do it by 5 pm"\n', 21, 21),
    ],
)
def test_the_estimate_is_not_below_what_tokenizers_count(text: str, o200k: int, cl100k: int) -> None:
    assert max(o200k, cl100k) <= estimate_tokens(text) <= 3 * max(o200k, cl100k)
