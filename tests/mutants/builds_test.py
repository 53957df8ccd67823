import tempfile
import unittest
from pathlib import Path

from builds import Builds
from tree import Tree

HERE = Path(__file__).resolve().parent

# Wait has no Notify, so "notify one" does not compile here.
HEADER = '''
struct Wait { void NotifyAll() {} };
class C {
 public:
  void F() {
    wait_.NotifyAll();
    ++count_;
  }
  Wait wait_;
  int count_ = 0;
};
'''
CMAKE = '''
cmake_minimum_required(VERSION 3.22)
project(x LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_executable(x models/x.cpp)
target_include_directories(x PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
'''


class Dropping(unittest.TestCase):
    def test_only_what_does_not_compile_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ('pool', 'models', 'tests', 'built'):
                (root / name).mkdir()
            (root / 'tests/mutants').symlink_to(HERE)
            (root / 'README.md').touch()
            (root / 'CMakeLists.txt').write_text(CMAKE)
            (root / 'pool/platform.h').touch()
            (root / 'pool/x.h').write_text(HEADER)
            (root / 'models/x.cpp').write_text(
                '#include "pool/x.h"\nint main() { C().F(); }\n')
            tree = Tree(root)
            builds = Builds(tree, root / 'built', 1, lambda _: None)
            builds.build('models')
            dropped = [m.operator for m in tree.mutants
                       if m.id in builds.dropped]
            self.assertEqual(dropped, ['notify one'])
            self.assertEqual(Builds(tree, root / 'built', 1, None).dropped,
                             builds.dropped)


if __name__ == '__main__':
    unittest.main()
