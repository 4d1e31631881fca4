#!/usr/bin/env python3
"""Every fuzz target has seeds that it can take, and options; dictionaries are well formed."""
import pathlib
import re
import tempfile
import unittest
import zipfile

import pack_seeds


class PackSeeds(unittest.TestCase):
    def test_every_target_has_seeds_within_its_limit(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            pack_seeds.pack(out, pack_seeds.ROWS)
            for name in pack_seeds.ROWS:
                options = (out / f"{name}_fuzz.options").read_text()
                limit = int(re.search(r"max_len = (\d+)", options).group(1))
                with zipfile.ZipFile(out / f"{name}_fuzz_seed_corpus.zip") as archive:
                    sizes = [entry.file_size for entry in archive.infolist()]
                self.assertTrue(sizes, name)
                self.assertLessEqual(max(sizes), limit, name)

    def test_the_same_seeds_give_the_same_archive(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            archives = []
            for _ in range(2):
                pack_seeds.pack(out, ["link"])
                archives.append((out / "link_fuzz_seed_corpus.zip").read_bytes())
            self.assertEqual(*archives)

    def test_dictionaries_are_quoted_words(self):
        word = re.compile(r'"(\\x[0-9a-f]{2}|[^"\\])+"')
        for path in (pack_seeds.HERE / "dictionaries").glob("*.dict"):
            lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
            self.assertTrue(lines, path)
            for line in lines:
                self.assertTrue(word.fullmatch(line), f"{path}: {line}")


if __name__ == "__main__":
    unittest.main()
