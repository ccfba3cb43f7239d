"""Runs what README.md shows, with the provider that RIJN_PROVIDER names."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
INSTALLED = "/usr/local/lib/rijn.so"
PROVIDER = os.environ.get("RIJN_PROVIDER", "")
LIMIT = 120  # seconds for one process, which no machine should need
PROGRAM = """#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <stdio.h>

static const char *owner(EVP_CIPHER *cipher)
{
    return OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher));
}

int main(void)
{
    unsigned char byte;
%s
    if (standard == NULL || rijn == NULL || cipher == NULL)
        return 1;
    puts(owner(cipher));
    puts(owner(EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL)));
    if (!%s || !%s)
        return 2;
    puts(owner(EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL)));
    puts(EVP_CIPHER_fetch(NULL, "AES-256-GCM", "fips=yes") == NULL ? "none" : "fips");
    return RAND_bytes(&byte, 1) != 1;
}
"""


def installed(text: str) -> str:
    assert INSTALLED in text
    return text.replace(INSTALLED, PROVIDER)


def run(*command: str | Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, env=env, stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT
    )
    return done.stdout


def test_code_takes_ciphers_by_name_and_by_property(tmp_path: Path) -> None:
    text = README.read_text("utf-8")
    by_name = "\n".join(re.findall(r"^    (?:OSSL|EVP).*;$", text, re.MULTILINE))
    joined = " ".join(text.split())
    (generator,) = re.findall(r"`(RAND_set_DRBG_type\([^`]*)`", joined)
    (prefer,) = re.findall(r"`(EVP_set_default_properties\([^`]*)`", joined)
    source, program = tmp_path / "example.c", tmp_path / "example"
    source.write_text(PROGRAM % (installed(by_name), generator, prefer))
    run("cc", "-Wall", "-Wextra", "-Werror", source, "-o", program, "-lcrypto")
    assert run(program).splitlines() == [PROVIDER, "default", PROVIDER, "none"]


def test_configuration_prefers_the_provider(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```ini\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    file = tmp_path / "rijn.cnf"
    file.write_text(installed(text))
    listed = run("openssl", "list", "-providers", env={**os.environ, "OPENSSL_CONF": str(file)})
    active = dict(re.findall(r"^  (\w+)\n(?:    .*\n)*?    status: (\w+)$", listed, re.MULTILINE))
    assert active == {"default": "active", "rijn": "active"}


def test_every_named_algorithm_is_available() -> None:
    table = re.search(r"^\| names \|(.*?)\n\n", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert table is not None
    parts = re.findall(r"`([^`]+)`", table[1])
    sizes = [part[:-1] for part in parts if part.endswith("…")]
    whole = [part for part in parts if re.match(r"(AES-\d|XAES|AEGIS)", part) and part[-1] != "…"]
    modes = [part for part in parts if part not in whole and part[-1] != "…"]
    macs = {"CMAC", "GMAC"}
    expected = {*whole, *(size + mode for size in sizes for mode in modes if mode not in macs)}
    assert len(sizes) == 3
    assert macs < set(modes)
    words = ["-provider-path", str(Path(PROVIDER).parent), "-provider", Path(PROVIDER).stem]
    listed = run("openssl", "list", *words, "-cipher-algorithms", "-mac-algorithms")
    names = {name.upper() for name in re.findall(r"[\w.-]+", listed.replace("@ rijn", ""))}
    assert {name.upper() for name in expected | macs} <= names
