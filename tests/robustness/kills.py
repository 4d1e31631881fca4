#!/usr/bin/env python3
"""Ends links at random moments, in six ways, and looks at what they leave.

    tests/robustness/kills.py [--count=N] [--seed=N]

SIGTERM, SIGINT, SIGKILL, a full disk (as root: a small tmpfs), a file-size limit, and an input that
becomes shorter while it is read; N links each. Each link writes a cubin, a map and a registration file, with
and without older ones in their places. Then

- every output is the old one or the whole new one, and there is no new cubin without its map;
- there is no other file, except after SIGKILL, and the next link removes that;
- no process that was started is left;
- a link that says it has succeeded has succeeded.

Half of the links that get signals run a compiler (a stand-in, which sleeps), or nvlink as an engine where
it is installed. $CULINK and $CUBIN are the programs. Exit status 1 if a rule was broken.
"""
import argparse
import collections
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CULINK = os.environ.get("CULINK", str(ROOT / "build/release/bin/culink"))
CUBIN = os.environ.get("CUBIN", str(ROOT / "build/release/bin/cubin"))
MARK = f"culink-kills-{os.getpid()}"
OUTPUTS = ("x", "x.map", "registered")
OLD = b"old"
PTXAS = "#!/bin/sh\nexec sleep 60\n"


class Broken(Exception):
    """A rule that was broken."""


class Links:
    """One folder, one way to link, and what the link makes when nobody disturbs it."""

    def __init__(self, folder, words, target="sm_90"):
        self.out = folder / "out"
        self.temporary = folder / "tmp"
        for one in (self.out, self.temporary):
            one.mkdir(parents=True)
        self.words = [CULINK, f"-arch={target}", "--no-cache", *words]
        self.environment = {**os.environ, "TMPDIR": str(self.temporary), "MARK": MARK}
        self.new, self.seconds = {}, 0.0

    def command(self, out=None):
        """The words of the link that writes into this folder."""
        out = out or self.out
        return [*self.words, "-o", f"{out}/x", f"-Map={out}/x.map",
                f"--register-link-binaries={out}/registered"]

    def learn(self):
        """The outputs, and the time they take."""
        took = []
        for _ in range(3):
            start = time.monotonic()
            subprocess.run(self.command(), env=self.environment, check=True)
            took.append(time.monotonic() - start)
        self.seconds = sorted(took)[1]
        self.new = contents(self.out)
        return self

    def prepare(self, old):
        """An empty folder, or one with older outputs."""
        for path in self.out.iterdir():
            path.unlink()
        for name in OUTPUTS if old else ():
            (self.out / name).write_bytes(OLD)

    def judge(self, old, status, how):
        """What is in the folder, by the rules; a summary for the table."""
        there = contents(self.out)
        before = {name: OLD for name in OUTPUTS} if old else {}
        stray = sorted(set(there) - set(OUTPUTS)) + sorted(path.name for path in self.temporary.iterdir())
        if stray and how != "SIGKILL":
            raise Broken(f"leaves {stray}")
        for name in OUTPUTS:
            if there.get(name) not in (before.get(name), self.new.get(name)):
                raise Broken(f"{name} has {len(there.get(name, b''))} bytes, which are neither old nor new")
        news = {name for name in OUTPUTS if name in there and there[name] == self.new.get(name)}
        if "x" in news and news != set(OUTPUTS) or (news and news != set(OUTPUTS) and how != "SIGKILL"):
            raise Broken(f"only {sorted(news)} are new")
        if status == 0 and news != set(OUTPUTS):
            raise Broken("says it has succeeded")
        if self.new and stray:
            subprocess.run(self.command(), env=self.environment, check=True)
            left = sorted(set(contents(self.out)) - set(OUTPUTS)) + os.listdir(self.temporary)
            if left:
                raise Broken(f"the next link leaves {left}")
            return "left a file, which the next link removed"
        return "new output" if news else "old output or none"


def contents(folder):
    """The files of a folder by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def survivors():
    """Processes of ours that live. They get a moment to die."""
    left = []
    for _ in range(40):
        left = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if f"MARK={MARK}".encode() in (folder / "environ").read_bytes() and \
                        "State:\tZ" not in (folder / "status").read_text():
                    left.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                pass
        if not left:
            return []
        time.sleep(0.05)
    return left


def by_signal(kind):
    """Sends a signal to a link at a random moment."""
    def run(links, old, rng):
        links.prepare(old)
        with subprocess.Popen(links.command(), env=links.environment, stderr=subprocess.PIPE) as link:
            time.sleep(rng.random() * links.seconds)
            link.send_signal(kind)
            link.communicate()
        if left := survivors():
            raise Broken(f"survived by {left}")
        return links.judge(old, link.returncode, kind.name)
    return run


def by_size_limit(links, old, rng):
    """Lets files have no more than a random number of bytes."""
    links.prepare(old)
    most = rng.randrange(len(links.new["x"]) * 11 // 10)
    done = subprocess.run(links.command(), env=links.environment, stderr=subprocess.PIPE, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    return judge_orderly(links, old, done, "file-size limit")


def by_full_disk(links, old, rng):
    """Lets a file system have a random number of pages."""
    pages = rng.randrange(4, sum(map(len, links.new.values())) // 4096 + 8)
    links.prepare(False)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={pages * 4096}", "none", links.out], check=True)
    try:
        links.prepare(old)
        done = subprocess.run(links.command(), env=links.environment, stderr=subprocess.PIPE, check=False)
        return judge_orderly(links, old, done, "full disk")
    finally:
        subprocess.run(["umount", links.out], check=True)


def by_shrinking(links, old, rng):
    """Makes an input shorter at a random moment."""
    links.prepare(old)
    path = pathlib.Path(links.words[-1])
    whole = path.read_bytes()
    try:
        with subprocess.Popen(links.command(), env=links.environment, stderr=subprocess.PIPE) as link:
            time.sleep(rng.random() * links.seconds)
            os.truncate(path, rng.randrange(len(whole)))
            _, text = link.communicate()
    finally:
        path.write_bytes(whole)
    done = subprocess.CompletedProcess([], link.returncode, stderr=text)
    return judge_orderly(links, old, done, "shrinking input", path.name)


def judge_orderly(links, old, done, how, word=""):
    """The rules for links that end by themselves: with a message that names a file, or well."""
    if done.returncode not in (0, 1, 255):
        raise Broken(f"status {done.returncode}: {done.stderr.decode()}")
    if done.returncode != 0 and not (b"error: " in done.stderr and word.encode() in done.stderr):
        raise Broken(f"no message: {done.stderr.decode()}")
    return links.judge(old, done.returncode, how)


def can_mount(folder):
    """Whether we may make file systems."""
    folder.mkdir()
    if os.geteuid() != 0:
        return False
    done = subprocess.run(["mount", "-t", "tmpfs", "none", folder], stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0 and subprocess.run(["umount", folder], check=False).returncode == 0


def make_links(folder):
    """The ways to link, by what they do."""
    kernels = "".join(f"- {{name: k{i}, kernel: true, code: nop x20}}\n" for i in range(3000))
    (folder / "all.yaml").write_text("arch: sm_90\nfunctions:\n" + kernels)
    subprocess.run([CUBIN, "assemble", folder / "all.yaml", "-o", folder / "all.cubin"], check=True)
    ptxas = folder / "ptxas"
    ptxas.write_text(PTXAS)
    ptxas.chmod(0o755)
    (folder / "a.ptx").write_text(".version 8.0\n.target sm_90\n.address_size 64\n")
    out = {"plain": Links(folder / "plain", [str(folder / "all.cubin")]).learn()}
    compiled = Links(folder / "compiled", [f"--ptxas={ptxas}", str(folder / "a.ptx")])
    compiled.seconds = out["plain"].seconds
    out["compiled"] = compiled
    nvlink = shutil.which("nvlink")
    objects = sorted((ROOT / "examples").glob("vector_math/sm_100/[fm]*.cubin"))
    if nvlink and objects:
        try:
            out["engine"] = Links(folder / "engine", [f"--finalizer={nvlink}", *map(str, objects)],
                                  "sm_100").learn()
        except subprocess.CalledProcessError:
            print("nvlink here is of no use as an engine")
    return out


def main():
    """Exit status 1 if a rule was broken."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    broken = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        links = make_links(folder)
        ways = {"SIGTERM": by_signal(signal.SIGTERM), "SIGINT": by_signal(signal.SIGINT),
                "SIGKILL": by_signal(signal.SIGKILL), "file-size limit": by_size_limit,
                "shrinking input": by_shrinking}
        if can_mount(folder / "mounted"):
            ways["full disk"] = by_full_disk
        else:
            print("full disk: skipped, needs root")
        for how, run in ways.items():
            counts = collections.Counter()
            for number in range(arguments.count):
                kind = rng.choice(list(links)) if how.startswith("SIG") and number % 2 else "plain"
                try:
                    counts[run(links[kind], rng.random() < 0.5, rng)] += 1
                except Broken as error:
                    broken += 1
                    print(f"{how}, {kind}, number {number}: {error}")
            print(f"{how}: " + ", ".join(f"{count} {what}" for what, count in counts.most_common()))
    print(f"{broken} broken rules")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
