#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for ptxas: answers from the folder CULINK_PLAYBACK, by a hash of its options and its text.

With the real program in CULINK_REAL_PTXAS it asks that one and keeps the answers.
"""

import hashlib
import os
import subprocess
import sys

SOURCE = b"@source@"  # in recorded messages


def main():
    words = sys.argv[1:]
    source, output = words[-3], words[-1]
    with open(source, "rb") as file:
        text = file.read()
    key = hashlib.sha256("\0".join(words[:-3]).encode() + b"\0" + text).hexdigest()[:16]
    path = os.path.join(os.environ["CULINK_PLAYBACK"], key)
    real = os.environ.get("CULINK_REAL_PTXAS")
    if real:
        with open(path, "wb") as file:
            file.write(text)
        done = subprocess.run([real] + words[:-3] + [path, "-o", path + ".cubin"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        os.remove(path)
        if done.returncode != 0 or done.stdout:
            with open(path + ".txt", "wb") as file:
                file.write(done.stdout.replace(path.encode(), SOURCE))
    if os.path.exists(path + ".txt"):
        with open(path + ".txt", "rb") as file:
            sys.stdout.buffer.write(file.read().replace(SOURCE, source.encode()))
    if not os.path.exists(path + ".cubin"):
        if not os.path.exists(path + ".txt"):
            print(f"nothing was recorded for this: {key}")
        return 255
    with open(path + ".cubin", "rb") as file, open(output, "wb") as out:
        out.write(file.read())
    return 0


if __name__ == "__main__":
    sys.exit(main())
