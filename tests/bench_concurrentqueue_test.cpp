// The copy of moodycamel's header must be the corrected one, or none at all.
#include <concurrentqueue/concurrentqueue.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLine =
    "auto prevVal = elementsCompletelyDequeued.fetch_add(1, "
    "std::memory_order_release);\n";

class CorrectionTest : public testing::Test {
 protected:
  CorrectionTest() {
    std::string name = testing::TempDir() + "/bench-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~CorrectionTest() override { fs::remove_all(directory_); }

  // Runs the build's script on a header with this text; true if it accepts it.
  bool Correct(const std::string& text) const {
    std::ofstream(directory_ / "in.h") << text;
    const fs::path script = fs::path(__FILE__).parent_path().parent_path() /
                            "bench/correct_concurrentqueue.cmake";
    const std::string command = fmt::format(
        "cmake -DINSTALLED={0}/in.h -DCORRECTED={0}/out.h -P {1} 2>{0}/log",
        directory_.string(), script.string());
    return std::system(command.c_str()) == 0;
  }

  std::string Corrected() const {
    std::ifstream in(directory_ / "out.h");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path directory_;
};

TEST_F(CorrectionTest, TheOrderOfTheOneLineBecomesAcqRel) {
  ASSERT_TRUE(Correct(std::string("before;\n") + kLine + "after [x];\n"));
  EXPECT_EQ(Corrected(),
            "#define BENCH_CORRECTED_CONCURRENTQUEUE 1\nbefore;\n"
            "auto prevVal = elementsCompletelyDequeued.fetch_add(1, "
            "std::memory_order_acq_rel);\nafter [x];\n");
}

TEST_F(CorrectionTest, AHeaderWithoutTheLineFailsTheBuild) {
  EXPECT_FALSE(Correct("before;\nafter;\n"));
  EXPECT_EQ(Corrected(), "");
}

TEST_F(CorrectionTest, AHeaderWithTheLineTwiceFailsTheBuild) {
  EXPECT_FALSE(Correct(std::string(kLine) + kLine));
  EXPECT_EQ(Corrected(), "");
}

TEST(CorrectionInUseTest, ThisBuildIncludesTheCorrectedCopy) {
#ifdef BENCH_CORRECTED_CONCURRENTQUEUE
  SUCCEED();
#else
  FAIL() << "the installed header was included";
#endif
}

}  // namespace
}  // namespace bench
