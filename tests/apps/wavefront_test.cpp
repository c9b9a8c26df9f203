// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wavefront: every form gives the serial sweep's grid, at sizes of one row, one column and odd shapes, and
// makes the tasks it says.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "support/workers.hpp"
#include "wavefront/by_counter.hpp"
#include "wavefront/by_future.hpp"
#include "wavefront/by_word.hpp"
#include "wavefront/wavefront.hpp"

namespace {

using namespace hocket::apps;

struct shape {
  std::size_t rows, columns;
};
constexpr shape shapes[] = {{1, 1}, {1, 2},  {1, 57}, {2, 1},   {57, 1},
                            {2, 2}, {2, 31}, {31, 2}, {37, 53}, {64, 64}};

wave_grid swept(shape s) {
  wave_grid grid(s.rows, s.columns);
  grid.sweep();
  return grid;
}

TEST(wave_grid_test, a_cell_is_the_larger_neighbour_and_its_weight) {
  const wave_grid grid = swept({3, 3});
  EXPECT_EQ(grid.at(0, 0), wave_grid::value(0, 0, 0, 0));
  EXPECT_EQ(grid.at(0, 1), wave_grid::value(0, 1, 0, grid.at(0, 0)));
  EXPECT_EQ(grid.at(2, 1), wave_grid::value(2, 1, grid.at(1, 1), grid.at(2, 0)));
  EXPECT_EQ(wave_grid::value(2, 1, 1000, 5), wave_grid::value(2, 1, 5, 1000));
  EXPECT_EQ(wave_grid::value(2, 1, 1000, 5), wave_grid::value(2, 1, 0, 0) + 1000);
  EXPECT_EQ(grid.last(), grid.at(2, 2));
}

TEST(wave_grid_test, the_first_wrong_cell_is_found) {
  for (const shape s : shapes) {
    wave_grid grid = swept(s);
    EXPECT_EQ(grid.first_wrong(), std::nullopt);
    const std::pair last(s.rows - 1, s.columns - 1);
    grid.at(last.first, last.second) += 2;
    EXPECT_EQ(grid.first_wrong(), last);
    --grid.at(s.rows / 2, 0);
    EXPECT_EQ(grid.first_wrong(), std::pair(s.rows / 2, std::size_t{0})) << "the earlier one";
    grid.clear();
    EXPECT_EQ(grid.first_wrong(), std::pair(std::size_t{0}, std::size_t{0}));
    grid.sweep();
    EXPECT_EQ(grid.first_wrong(), std::nullopt);
  }
}

TEST(arrival_counts_test, the_last_of_those_needed) {
  arrival_counts counts(4);
  EXPECT_TRUE(counts.arrive(0, 1));
  EXPECT_FALSE(counts.arrive(1, 2));
  EXPECT_TRUE(counts.arrive(1, 2));
  for (int i = 0; i < 254; ++i) EXPECT_FALSE(counts.arrive(3, 255));
  EXPECT_TRUE(counts.arrive(3, 255));
  EXPECT_FALSE(counts.arrive(2, 2)) << "its neighbours have left it alone";
}

class wavefront_test : public hocket_test::on_workers {
 protected:
  void expect_right(const wave_grid& grid, std::string_view how) {
    EXPECT_EQ(grid.first_wrong(), std::nullopt) << how << ", " << grid.rows() << " x " << grid.columns();
  }
  std::uint64_t begun() const { return since(&hocket::statistics::begun); }
};
HOCKET_ON_ALL_WORKERS(wavefront_test);

TEST_P(wavefront_test, one_of_many_arrives_last_and_sees_the_others) {
  constexpr unsigned arrivals = 100;
  constexpr std::size_t places = 50;
  run([&] {
    arrival_counts counts(places);
    std::vector<long> written(arrivals);
    std::atomic<std::size_t> last{0};
    std::vector<hocket::task<void>> tasks;
    for (unsigned i = 0; i < arrivals; ++i) {
      tasks.push_back(hocket::spawn([&, i] {
        written[i] = 1;
        for (std::size_t place = 0; place < places; ++place) {
          if (!counts.arrive(place, arrivals)) continue;
          ++last;
          long sum = 0;
          for (const long one : written) sum += one;
          EXPECT_EQ(sum, arrivals);
        }
      }));
    }
    hocket::wait_all(tasks);
    EXPECT_EQ(last, places);
  });
}

TEST_P(wavefront_test, by_counter) {
  for (const shape s : shapes) {
    for (const onward way : {onward::right, onward::below}) {
      run([&] {
        wave_grid grid(s.rows, s.columns);
        const std::uint64_t before = begun();
        sweep_by_counter(grid, 1, way);
        expect_right(grid, way == onward::right ? "right" : "below");
        // One worker runs to the end of a row (a column) before it takes the next.
        const std::uint64_t lines = way == onward::right ? s.rows : s.columns;
        const std::uint64_t across = way == onward::right ? s.columns : s.rows;
        if (workers() == 1) {
          EXPECT_EQ(begun() - before, across > 1 ? lines - 1 : 0) << s.rows << " x " << s.columns;
        }
        EXPECT_LT(begun() - before, s.rows * s.columns);
      });
    }
  }
}

TEST_P(wavefront_test, by_counter_in_blocks) {
  for (const shape s : shapes) {
    for (const std::size_t block : {2, 3, 7, 31, 64, 1000}) {
      run([&] {
        wave_grid grid(s.rows, s.columns);
        sweep_by_counter(grid, block, onward::right);
        expect_right(grid, "blocks of " + std::to_string(block));
        grid.clear();
        sweep_by_counter(grid, block, onward::below);
        expect_right(grid, "downwards, blocks of " + std::to_string(block));
      });
    }
  }
}

TEST_P(wavefront_test, by_word) {
  for (const shape s : shapes) {
    run([&] {
      wave_grid grid(s.rows, s.columns);
      for (int again = 0; again < 2; ++again) {
        grid.clear();
        empty_cells(grid);
        EXPECT_EQ(hocket::detail::full_empty_entries(), s.rows * s.columns);
        const std::uint64_t before = begun();
        word_sweep(grid).run();
        EXPECT_EQ(begun() - before, s.rows);
        EXPECT_EQ(hocket::detail::full_empty_entries(), 0u) << "all are full, and nobody waits";
        expect_right(grid, "by word");
      }
    });
  }
}

TEST_P(wavefront_test, by_future) {
  for (const shape s : shapes) {
    run([&] {
      wave_grid grid(s.rows, s.columns);
      const std::uint64_t before = since(&hocket::statistics::spawned);
      sweep_by_future(grid);
      EXPECT_EQ(since(&hocket::statistics::spawned) - before, s.rows * s.columns);
      expect_right(grid, "by future");
    });
  }
}

// Rows long enough for workers to run after one another, and more rows than workers.
TEST_P(wavefront_test, a_larger_grid) {
  const auto rows = static_cast<std::size_t>(hocket_test::sized(501, 101));
  const auto columns = static_cast<std::size_t>(hocket_test::sized(703, 143));
  run([&] {
    wave_grid grid(rows, columns);
    for (const onward way : {onward::right, onward::below}) {
      for (int again = 0; again < 5; ++again) {
        grid.clear();
        sweep_by_counter(grid, 1, way);
        expect_right(grid, "by counter");
      }
    }
    grid.clear();
    empty_cells(grid);
    word_sweep(grid).run();
    expect_right(grid, "by word");
    grid.clear();
    sweep_by_future(grid);
    expect_right(grid, "by future");
  });
}

}  // namespace
