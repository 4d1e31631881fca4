#!/usr/bin/env bash
# A link that is killed at any moment leaves the old output or the whole new one, and no other file.
. "${BASH_SOURCE%/*}/../common.inc.sh"

{
  printf 'arch: sm_90\nfunctions:\n'
  for ((i = 0; i < 3000; ++i)); do printf -- '- {name: k%d, kernel: true, code: nop}\n' "$i"; done
} | assemble all
"$CULINK" -arch=sm_90 all.cubin -o new.cubin
mkdir out

python3 - "$CULINK" << 'PYTHON'
import os
import random
import signal
import subprocess
import sys
import time

culink, killed, random_number = sys.argv[1], 0, random.Random(1)
with open("new.cubin", "rb") as file:
    new = file.read()
start = time.monotonic()
subprocess.run([culink, "-arch=sm_90", "all.cubin", "-o", "out/x"], check=True)
took = time.monotonic() - start
for number in range(40):
    old = number % 2 == 0  # or there is no output yet
    if old:
        with open("out/x", "wb") as file:
            file.write(b"old")
    elif os.path.exists("out/x"):
        os.unlink("out/x")
    how = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)[number % 3]
    link = subprocess.Popen([culink, "-arch=sm_90", "all.cubin", "-o", "out/x"])
    time.sleep(random_number.random() * took)
    link.send_signal(how)
    killed += link.wait() != 0
    left = [name for name in os.listdir("out") if name != "x"]
    # SIGKILL may come between the two moments at which an old output changes places with the new one.
    if left and not (how == signal.SIGKILL and old):
        sys.exit(f"{how.name} has left {left}")
    for name in left:  # which the next link may be killed too early to remove
        os.unlink(os.path.join("out", name))
    content = None
    if os.path.exists("out/x"):
        with open("out/x", "rb") as file:
            content = file.read()
    if content not in (new, b"old" if old else None):
        sys.exit(f"{how.name} has left {content and len(content)} bytes")
with open("out/x.culink-tmp.0", "wb") as file:
    file.write(b"what a killed link has left")
subprocess.run([culink, "-arch=sm_90", "all.cubin", "-o", "out/x"], check=True)
if os.listdir("out") != ["x"]:
    sys.exit(f"the next link leaves {os.listdir('out')}")
print(f"{killed} of 40 killed")
if killed < 5:
    sys.exit("they ended before they could be killed")
PYTHON
