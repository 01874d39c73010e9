// Generates the cases of decimal128-intel.txt: operations on decimal128 numbers and their results in
// Intel's Decimal Floating-Point Math Library 2.0 Update 2 (Debian: libintelrdfpmath-dev 2.0u2-8).
//
//   cc -O1 -DCALL_BY_REF=0 -DGLOBAL_RND=0 -DGLOBAL_FLAGS=0 decimal128-intel.c \
//     /usr/lib/x86_64-linux-gnu/libbidgcc000.a -lm -o decimal128-intel
//   ./decimal128-intel 2400 1 > decimal128-intel.txt
//
// The arguments are the number of cases and the seed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include <bid_conf.h>
#include <bid_functions.h>

typedef BID_UINT128 Decimal;
typedef unsigned __int128 Wide;

static uint64_t state;
static unsigned flags;

// SplitMix64.
static uint64_t next(void) {
  uint64_t mixed = state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}
static int below(int bound) { return (int)(next() % (uint64_t)bound); }

static Decimal encode(int negative, Wide coefficient, int exponent) {
  Wide bits = (Wide)(negative != 0) << 127 | (Wide)(exponent + 6176) << 113 | coefficient;
  Decimal number;
  number.w[1] = (BID_UINT64)(bits >> 64);
  number.w[0] = (BID_UINT64)bits;
  return number;
}

static Wide ten(int exponent) {
  Wide power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

// Coefficients at which something changes: few digits, many, all nines, zeros or a five at the end.
static Wide coefficient(void) {
  int digits = below(2) ? 1 + below(34) : below(2) ? 34 : 1 + below(4);
  Wide random = ((Wide)next() << 64 | next()) % ten(digits);
  switch (below(8)) {
    case 0: return 0 + (below(3) ? random : 0);
    case 1: return ten(digits) - 1;
    case 2: return ten(digits - 1);
    case 3: return ten(digits - 1) * (1 + below(9));
    case 4: { int zeros = below(digits); return random / ten(zeros) * ten(zeros); }
    case 5: return ten(digits - 1) * 5 + (digits > 1 ? below(3) - 1 : 0);
    case 6: return (Wide)1 << below(112);
    default: return random;
  }
}

static int exponent(void) {
  int number;
  switch (below(6)) {
    case 0: number = below(12288) - 6176; break;
    case 1: number = -6176 + below(40); break;
    case 2: number = 6111 - below(40); break;
    case 3: number = -3088 + below(80) - 40; break;
    default: number = below(81) - 40;
  }
  return number;
}

static Decimal operand(void) {
  if (below(40) == 0) {
    static const uint64_t specials[] = {
      0x7800000000000000, 0xf800000000000000, 0x7c00000000000000, 0x7e00000000000000};
    Decimal number = {{0, specials[below(4)]}};
    return number;
  }
  return encode(below(2), coefficient(), exponent());
}

// A second operand that meets the first: of like size, its neighbour, or an equal one.
static Decimal partner(Decimal first) {
  Wide bits = (Wide)first.w[1] << 64 | first.w[0];
  if (below(2) || (first.w[1] & 0x6000000000000000) == 0x6000000000000000) return operand();
  int old = (int)(bits >> 113 & 0x3fff) - 6176;
  Wide digits = bits & (((Wide)1 << 113) - 1);
  int moved = old + below(75) - 37;
  if (below(3) == 0) {
    Wide near = digits + below(3) - (digits > 0);
    return encode(below(2), near > ten(34) - 1 ? digits : near, old);
  }
  if (below(3) == 0 && digits % 10 == 0 && old < 6111) return encode(below(2), digits / 10, old + 1);
  if (moved < -6176) moved = -6176;
  if (moved > 6111) moved = 6111;
  return encode(below(2), coefficient(), moved);
}

static void print(Decimal number) {
  printf(" %016llx%016llx", (unsigned long long)number.w[1], (unsigned long long)number.w[0]);
}

static void operation(const char *name, Decimal first, Decimal second, Decimal result) {
  printf("%s", name);
  print(first);
  print(second);
  print(result);
  printf("\n");
}

static void compare(Decimal first, Decimal second) {
  const char *order = bid128_quiet_less(first, second, &flags) ? "<"
    : bid128_quiet_equal(first, second, &flags) ? "="
    : bid128_quiet_greater(first, second, &flags) ? ">" : "?";
  printf("compare");
  print(first);
  print(second);
  printf(" %s\n", order);
}

static void parse(void) {
  char text[160];
  int length = 0, digits = 1 + below(below(3) ? 20 : 60), point = below(2) ? below(digits + 1) : -1;
  int style = below(4);
  if (below(2)) text[length++] = below(4) ? '-' : '+';
  for (int digit = 0; digit < digits; digit++) {
    if (digit == point) text[length++] = '.';
    text[length++] = style == 0 ? '9' : style == 1 ? (digit == 0 ? '1' : digit == 34 ? '5' : '0')
      : '0' + below(10);
  }
  text[length] = 0;
  if (below(2)) snprintf(text + length, 16, below(2) ? "E%+d" : "e%d", exponent() - below(60));
  printf("parse %s", text);
  print(bid128_from_string(text, 0, &flags));
  printf("\n");
}

static void convert(Decimal number) {
  char text[64];
  bid128_to_string(text, number, &flags);
  printf("print");
  print(number);
  printf(" %s\n", text);
  double nearest = bid128_to_binary64(number, 0, &flags);
  uint64_t bits;
  memcpy(&bits, &nearest, 8);
  if (nearest == nearest) {
    printf("double");
    print(number);
    printf(" %016llx\n", (unsigned long long)bits);
  }
}

int main(int count, char **arguments) {
  if (count != 3) return 64;
  int cases = atoi(arguments[1]);
  state = strtoull(arguments[2], 0, 10);
  printf("# Results by Intel's Decimal Floating-Point Math Library 2.0u2; numbers as the 128 bits\n");
  printf("# of the binary encoding. Made by decimal128-intel.c: %d cases, seed %s.\n", cases,
         arguments[2]);
  for (int index = 0; index < cases; index++) {
    Decimal first = operand(), second = partner(first);
    if (below(2)) { Decimal swap = first; first = second; second = swap; }
    switch (index % 8) {
      case 0: operation("add", first, second, bid128_add(first, second, 0, &flags)); break;
      case 1: operation("subtract", first, second, bid128_sub(first, second, 0, &flags)); break;
      case 2: case 3: operation("multiply", first, second, bid128_mul(first, second, 0, &flags)); break;
      case 4: case 5: operation("divide", first, second, bid128_div(first, second, 0, &flags)); break;
      case 6: compare(first, second); parse(); break;
      default: convert(first);
    }
  }
  return 0;
}
