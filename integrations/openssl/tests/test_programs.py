"""Programs on OpenSSL while its configuration prefers Rijn: they work with others, and Rijn works."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import loopback
import pytest
from support import HERE, LIMIT, ROOT, Witness, run

PLAIN = {key: value for key, value in os.environ.items() if key != "OPENSSL_CONF"}
MEBIBYTE = 1 << 20
NO_ENCRYPT_THEN_MAC = 1 << 19  # SSL_OP_NO_ENCRYPT_THEN_MAC

Prefer = Callable[..., Witness]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("data") / "data"
    file.write_bytes(os.urandom(3 * MEBIBYTE + 5))
    return file


# ---- The module ----


def test_only_the_entry_point_is_exported(provider: Path) -> None:
    exported = run(["nm", "-D", "--defined-only", provider]).stdout.split()
    assert [word for word in exported if "@" not in word][2::3] == ["OSSL_provider_init"]


def test_nothing_of_openssl_is_linked(provider: Path) -> None:
    """It runs with every libcrypto 3, and leaves nothing behind when it is unloaded."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run(["readelf", "-d", provider]).stdout))
    assert needed <= {"libc.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}
    wanted = run(["nm", "-D", "--undefined-only", provider]).stdout
    names = {line.split()[-1].split("@")[0] for line in wanted.splitlines()}
    assert {"malloc", "free"} & names  # nm read the right table
    assert not {name for name in names if name.startswith(("EVP_", "CRYPTO_", "OPENSSL_"))}
    assert not names & {"atexit", "__cxa_atexit", "on_exit", "pthread_atfork", "__register_atfork"}


def test_openssl_lists_it(rijn: Witness, provider: Path) -> None:
    shown = run(["openssl", "list", "-providers", "-verbose"], env=rijn.env).stdout
    assert re.search(r"rijn\n.*?name: \S.*?version: \d.*?status: active", shown, re.DOTALL)
    where = ["-provider-path", provider.parent, "-provider", provider.stem]
    ciphers = run(["openssl", "list", "-cipher-algorithms", *where], env=PLAIN).stdout
    for name in ("AES-256-GCM", "AES-128-OCB", "AES-256-GCM-SIV", "AEGIS-128L", "XAES-256-GCM"):
        assert re.search(
            rf"\b{name}\b.*@ {provider.stem}$", ciphers, re.MULTILINE | re.IGNORECASE
        ), name


# ---- The random generator ----


@pytest.mark.parametrize("random", [True, False])
def test_random_generator(prefer: Prefer, random: bool) -> None:
    """A preference for Rijn also holds for the generator, unless [random] says otherwise."""
    rijn = prefer(random=random)
    assert len(run(["openssl", "rand", "-hex", "40"], env=rijn.env).stdout.strip()) == 80
    used = {name for name, done in rijn.work_done().items() if done.contexts}
    assert bool(used & {"AES-256-CTR", "AES-256-ECB"}) != random, used


# ---- openssl enc and cms ----


@pytest.mark.parametrize("cipher", ["aes-256-cbc", "aes-128-ctr", "aes-192-ofb", "aes-256-ecb"])
def test_enc(rijn: Witness, data: Path, tmp_path: Path, cipher: str) -> None:
    key = ["-K", "0123456789abcdef" * 4, "-iv", "fedcba98" * 4]
    key = [key[0], key[1][: int(cipher[4:7]) // 4], *key[2:]]
    results = []
    for number, (first, second) in enumerate(((rijn.env, PLAIN), (PLAIN, rijn.env))):
        sealed, opened = tmp_path / f"sealed{number}", tmp_path / f"opened{number}"
        words = ["openssl", "enc", f"-{cipher}", *key]
        if cipher.endswith("ecb"):
            words = words[:-2]
        run([*words, "-in", data, "-out", sealed], env=first)
        run([*words, "-d", "-in", sealed, "-out", opened], env=second)
        assert opened.read_bytes() == data.read_bytes()
        results.append(sealed.read_bytes())
    assert results[0] == results[1]
    rijn.used(cipher.upper(), 2 * data.stat().st_size)


def test_enc_with_a_password(rijn: Witness, data: Path, tmp_path: Path) -> None:
    words = ["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-iter", "1000", "-pass", "pass:secret"]
    run([*words, "-in", data, "-out", tmp_path / "sealed"], env=rijn.env)
    run([*words, "-d", "-in", tmp_path / "sealed", "-out", tmp_path / "opened"], env=PLAIN)
    assert (tmp_path / "opened").read_bytes() == data.read_bytes()
    cut = tmp_path / "cut"
    cut.write_bytes((tmp_path / "sealed").read_bytes()[:-16])
    done = run([*words, "-d", "-in", cut, "-out", os.devnull], check=False, env=rijn.env)
    assert done.returncode == 1 and "bad decrypt" in done.stdout


def test_enc_with_options_instead_of_a_file(provider: Path, data: Path, tmp_path: Path) -> None:
    """A user may prefer Rijn with options of the command."""
    where = ["-provider-path", provider.parent, "-provider", provider.stem, "-provider", "default"]
    words = ["openssl", "enc", "-aes-256-ctr", "-pbkdf2", "-iter", "1000", "-pass", "pass:secret"]
    for query in ("?provider=rijn", "provider=rijn"):
        prefer = [*where, "-propquery", query]
        run([*words, *prefer, "-in", data, "-out", tmp_path / "sealed"], check=query[0] == "?")
    run([*words, "-d", "-in", tmp_path / "sealed", "-out", tmp_path / "opened"], env=PLAIN)
    assert (tmp_path / "opened").read_bytes() == data.read_bytes()


@pytest.mark.parametrize("cipher", ["aes-256-gcm", "aes-256-cbc", "aes-128-gcm"])
@pytest.mark.parametrize("recipient", ["rsa", "ec", "secret"])
def test_cms(rijn: Witness, data: Path, tmp_path: Path, cipher: str, recipient: str) -> None:
    """RSA recipients take the key as it is; EC and secret ones take it wrapped by AES."""
    secret = ["-secretkey", "00112233445566778899aabbccddeeff" * 2, "-secretkeyid", "0102"]
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    kind = {"rsa": ["rsa:2048"], "ec": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]}
    if recipient != "secret":
        words = [
            *["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=a"],
            "-newkey",
            *kind[recipient],
        ]
        run([*words, "-out", cert, "-keyout", key])
    for number, (first, second) in enumerate(((rijn.env, PLAIN), (PLAIN, rijn.env))):
        sealed, opened = tmp_path / f"sealed{number}", tmp_path / f"opened{number}"
        words = ["openssl", "cms", "-binary", "-outform", "DER", "-in", data, "-out", sealed]
        to = secret if recipient == "secret" else [cert]
        run([*words, "-encrypt", f"-{cipher}", *to], env=first)
        words = ["openssl", "cms", "-inform", "DER", "-in", sealed, "-out", opened]
        by = secret if recipient == "secret" else ["-inkey", key, "-recip", cert]
        run([*words, "-decrypt", *by], env=second)
        assert opened.read_bytes() == data.read_bytes()
    rijn.used(cipher.upper(), 2 * data.stat().st_size)
    if recipient != "rsa":
        assert any("WRAP" in name.upper() for name in rijn.work_done()), rijn.work_done()


# ---- TLS through Python's ssl ----


SUITES = [
    ("TLSv1_3", "TLS_AES_256_GCM_SHA384", 0, "AES-256-GCM"),
    ("TLSv1_3", "TLS_AES_128_GCM_SHA256", 0, "AES-128-GCM"),
    ("TLSv1_3", "TLS_AES_128_CCM_SHA256", 0, "AES-128-CCM"),
    ("TLSv1_3", "TLS_AES_128_CCM_8_SHA256", 0, "AES-128-CCM"),
    ("TLSv1_2", "ECDHE-RSA-AES128-GCM-SHA256", 0, "AES-128-GCM"),
    ("TLSv1_2", "ECDHE-RSA-AES256-GCM-SHA384", 0, "AES-256-GCM"),
    ("TLSv1_2", "AES256-CCM8", 0, "AES-256-CCM"),
    ("TLSv1_2", "ECDHE-RSA-AES256-SHA384", 0, "AES-256-CBC"),
    ("TLSv1_2", "ECDHE-RSA-AES256-SHA384", NO_ENCRYPT_THEN_MAC, "AES-256-CBC"),
    ("TLSv1_2", "ECDHE-RSA-AES128-SHA", 0, "AES-128-CBC"),
]


SUITE = "openssl_conf = init\n[init]\nssl_conf = ssl\n[ssl]\nsystem_default = tls\n[tls]\n{}\n"


@pytest.mark.parametrize("turned", [False, True], ids=["server", "client"])
@pytest.mark.parametrize(("version", "suite", "options", "cipher"), SUITES)
def test_tls(
    prefer: Prefer,
    certificate: tuple[Path, Path],
    tmp_path: Path,
    version: str,
    suite: str,
    options: int,
    cipher: str,
    turned: bool,
) -> None:
    """One peer prefers Rijn, the other has OpenSSL's default provider."""
    old = version == "TLSv1_2"
    rijn = prefer(suite="" if old else suite)
    plain = {**PLAIN, "OPENSSL_CONF": str(tmp_path / "plain.cnf")}
    (tmp_path / "plain.cnf").write_text(SUITE.format("" if old else f"Ciphersuites = {suite}"))
    peers = [rijn.env, plain][:: -1 if turned else 1]
    script = [sys.executable, HERE / "tls_peer.py"]
    ciphers = f"{suite}:@SECLEVEL=0" if old else ""
    words = [version, ciphers, str(options)]
    command = [str(word) for word in (*script, "server", *certificate, *words)]
    with subprocess.Popen(
        command, env=peers[0], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        try:
            assert server.stdout
            port = server.stdout.readline().strip()
            if not port.isdigit():
                pytest.fail(port + server.stdout.read())
            client = [*script, "client", certificate[0], port, *words]
            done = run(client, check=False, env=peers[1])
            said, _ = server.communicate(timeout=LIMIT)
            assert (done.returncode, server.returncode) == (0, 0), done.stdout + said
            assert done.stdout.strip() == suite
        finally:
            server.kill()
    rijn.used(cipher, MEBIBYTE)


# ---- nginx with curl ----


NGINX = """daemon off;
master_process on;
user root;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log info;
env OPENSSL_CONF;
env WITNESS_MODULE;
env WITNESS_COUNTS;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {cert};
        ssl_certificate_key {key};
        ssl_protocols TLSv1.2 TLSv1.3;
        root {root};
    }}
}}
"""


@contextmanager
def nginx(folder: Path, certificate: tuple[Path, Path], env: dict[str, str]) -> Iterator[int]:
    """Starts nginx on a listening socket that it inherits, so that the port is its own."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.fail("nginx is not installed (Debian: nginx)")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        cert, key = certificate
        text = NGINX.format(folder=folder, port=port, cert=cert, key=key, root=folder)
        (folder / "nginx.conf").write_text(text)
        log = folder / "error.log"
        log.touch()
        command = [program, "-c", str(folder / "nginx.conf"), "-e", str(log)]
        child = subprocess.Popen(
            command,
            env={**env, "NGINX": f"{listener.fileno()};"},
            pass_fds=[listener.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
    try:
        limit = time.monotonic() + LIMIT
        while "start worker process" not in log.read_text():
            if child.poll() is not None or time.monotonic() > limit:
                pytest.fail(f"nginx does not start: {log.read_text()}")
            time.sleep(0.05)
        yield port
    finally:
        child.terminate()
        try:
            child.wait(LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()


@pytest.mark.parametrize("turned", [False, True], ids=["nginx", "curl"])
def test_nginx(
    rijn: Witness, certificate: tuple[Path, Path], data: Path, tmp_path: Path, turned: bool
) -> None:
    served, asking = (PLAIN, rijn.env) if turned else (rijn.env, PLAIN)
    shutil.copy(data, tmp_path / "file")
    with nginx(tmp_path, certificate, served) as port:
        for version in ("1.2", "1.3"):
            words = [
                "curl",
                "-sS",
                "--max-time",
                "60",
                "--cacert",
                certificate[0],
                "--noproxy",
                "*",
            ]
            tls = [f"--tlsv{version}", "--tls-max", version, "-w", "%{ssl_verify_result}"]
            ciphers = ["--ciphers", "ECDHE-RSA-AES128-GCM-SHA256"] if version == "1.2" else []
            got = tmp_path / f"got{version}"
            run([*words, *tls, *ciphers, f"https://localhost:{port}/file", "-o", got], env=asking)
            assert got.read_bytes() == data.read_bytes()
    rijn.used("AES-128-GCM", data.stat().st_size)
    rijn.used("AES-256-GCM", data.stat().st_size)


# ---- OpenSSH ----


@pytest.fixture(scope="module")
def host() -> Iterator[loopback.Host]:
    with loopback.host() as made:
        yield made


SSH_CIPHERS = {
    "aes128-gcm@openssh.com": "AES-128-GCM",
    "aes256-gcm@openssh.com": "AES-256-GCM",
    "aes256-ctr": "AES-256-CTR",
    "aes128-ctr": "AES-128-CTR",
    "aes192-cbc": "AES-192-CBC",
}


@pytest.mark.parametrize("turned", [False, True], ids=["sshd", "ssh"])
@pytest.mark.parametrize("cipher", SSH_CIPHERS)
def test_openssh(
    rijn: Witness,
    host: loopback.Host,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cipher: str,
    turned: bool,
) -> None:
    """3 MiB there and back, with new keys after each MiB."""
    served, asking = (PLAIN, rijn.env) if turned else (rijn.env, PLAIN)
    for name, value in served.items():
        monkeypatch.setenv(name, value)
    with host.server(cipher, "hmac-sha2-256-etm@openssh.com", "1M") as port:
        options = {
            "StrictHostKeyChecking": "no",
            "UserKnownHostsFile": "/dev/null",
            "IdentitiesOnly": "yes",
            "RekeyLimit": "1M",
            "Ciphers": cipher,
        }
        words = ["ssh", "-v", "-F", "none", "-p", str(port), "-i", str(host.folder / "user")]
        for name, value in options.items():
            words += ["-o", f"{name}={value}"]
        log = tmp_path / "log"
        with (
            data.open("rb") as source,
            (tmp_path / "got").open("wb") as target,
            log.open("wb") as e,
        ):
            done = subprocess.run(
                [*words, f"{host.user}@127.0.0.1", "cat"],
                check=False,
                stdin=source,
                stdout=target,
                stderr=e,
                env=asking,
                timeout=LIMIT,
            )
    text = log.read_text(errors="replace")
    assert done.returncode == 0, text
    assert (tmp_path / "got").read_bytes() == data.read_bytes()
    assert text.count("SSH2_MSG_NEWKEYS received") >= 3
    assert f"cipher: {cipher}" in text
    rijn.used(SSH_CIPHERS[cipher], 2 * 3 * MEBIBYTE)


# ---- cryptography ----


USES = """
import os
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESOCB3, AESSIV
from cryptography.hazmat.backends.openssl import backend
print(backend.openssl_version_text())
for each, size in ((AESGCM, 12), (AESCCM, 12), (AESOCB3, 12)):
    for bits in (128, 192, 256):
        key, nonce, data, ad = os.urandom(bits // 8), os.urandom(size), os.urandom(5000), b"ad"
        sealed = each(key).encrypt(nonce, data, ad)
        assert each(key).decrypt(nonce, sealed, ad) == data
siv = AESSIV(os.urandom(64))
assert siv.decrypt(siv.encrypt(data, [ad]), [ad]) == data
for mode in (modes.CBC, modes.CTR, modes.OFB, modes.CFB, modes.CFB8):
    cipher = Cipher(algorithms.AES256(os.urandom(32)), mode(os.urandom(16)))
    a, b = cipher.encryptor(), cipher.decryptor()
    sealed = a.update(data[:16]) + a.update(data[16:4000]) + a.finalize()
    assert b.update(sealed) + b.finalize() == data[:4000]
"""


@pytest.mark.skipif(not os.environ.get("FULL"), reason="only with --full: it takes minutes")
@pytest.mark.timeout(2700)
def test_cryptography(rijn: Witness, tmp_path: Path) -> None:
    """Python's cryptography, built on the system's OpenSSL (needs cargo)."""
    run([sys.executable, "-m", "venv", tmp_path / "venv"])
    python = tmp_path / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--no-binary", "cryptography"]
    run([*pip, "cryptography"], limit=2500)
    assert "OpenSSL 3.0" in run([python, "-c", USES], env=rijn.env, cwd=ROOT / "docs").stdout
    for name in ("AES-256-GCM", "AES-256-OCB", "AES-192-CCM", "AES-256-CBC", "AES-256-CTR"):
        rijn.used(name, 4000)
