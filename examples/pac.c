/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* pacVirtual, pacStart, pacWait: PACLIB's tasks in C. The main task sums a tree of virtual tasks, then takes
   the first answer of two that race. */
#include <hocket/compat/pac.h>
#include <stdio.h>

/* A virtual task for each left half: most of them will run in pacWait, as calls. */
static pacWord sum(pacWord array, pacWord count) {
  const int* numbers = (const int*)array;
  if (count == 1) return numbers[0];
  const pacWord half = count / 2;
  const pacTask left = pacVirtual(sum, numbers, half);
  const pacWord right = sum((pacWord)(numbers + half), count - half);
  const pacWord both = pacWait(NULL, left) + right;
  pacRelease(left);
  return both;
}

static pacWord answer(pacWord v) { return v; }

static pacWord main_task(void) {
  int numbers[1000];
  for (int i = 0; i < 1000; ++i) numbers[i] = i;
  const pacWord total = sum((pacWord)numbers, 1000);

  const pacTask one = pacStart(answer, 1), two = pacVirtual(answer, 2);
  pacTask from;
  const pacWord first = pacWait(&from, one, two);
  printf("sum %ld, first answer %ld\n", (long)total, (long)first);
  const int right = total == 499500 && first == (from == one ? 1 : 2) && pacWait(NULL, from) == first;
  pacRelease(one);
  pacRelease(two);
  return right ? 0 : 1;
}

int main(int argc, char** argv) { return (int)pacRun(&argc, argv, main_task); }
