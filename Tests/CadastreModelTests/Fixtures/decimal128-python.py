"""Generates the cases of decimal128-python.txt with Python's decimal module (libmpdec).

    python3 decimal128-python.py 600 1 > decimal128-python.txt

The arguments are the number of cases and the seed. `text` is the scientific string of a number;
`order` compares a number with a double, exactly.
"""

import decimal
import math
import random
import struct
import sys

CONTEXT = decimal.Context(prec=34, Emax=6144, Emin=-6143, clamp=1, traps=[])


def bits(number):
    """Returns the 32 hexadecimal digits of the binary encoding."""
    sign, digits, exponent = number.as_tuple()
    coefficient = int("".join(map(str, digits)))
    return f"{sign << 127 | (exponent + 6176) << 113 | coefficient:032x}"


def any_number(chance):
    """Returns a random number, often with an exponent near zero or near an end of the range."""
    digits = chance.choice([chance.randint(1, 34), chance.randint(1, 4)])
    coefficient = chance.choice([0, 10 ** (digits - 1), chance.randrange(10**digits)])
    exponent = chance.choice(
        [chance.randint(-45, 10), chance.randint(-6176, 6111), -6176, 6111, 0, -digits])
    return decimal.Decimal((chance.randint(0, 1), tuple(map(int, str(coefficient))), exponent))


def any_double(chance):
    """A double of any bits, a subnormal one, a whole one, or a short fraction."""
    while True:
        number = chance.choice([
            struct.unpack("<d", struct.pack("<Q", chance.getrandbits(64)))[0],
            math.ldexp(chance.getrandbits(20), -1074), float(chance.getrandbits(70)),
            chance.randint(-999, 999) / 100, chance.randint(-999, 999) / 64,
            5e-324, 2.2250738585072014e-308, sys.float_info.max, 0.0])
        if math.isfinite(number):
            return number


def near(number, chance):
    """A decimal next to a double: rounded to some digits, and perhaps a unit off."""
    context = CONTEXT.copy()
    context.prec = chance.choice([34, 34, 17, 16, chance.randint(1, 34)])
    rounded = context.create_decimal(decimal.Decimal(number))
    step = chance.choice([0, 0, 1, -1])
    if step and rounded.is_finite():
        rounded = context.next_plus(rounded) if step > 0 else context.next_minus(rounded)
    return CONTEXT.plus(rounded)


def symbol(first, second):
    """How two exact numbers stand."""
    return "<" if first < second else "=" if first == second else ">"


def main(count, seed):
    """Prints the cases."""
    chance = random.Random(seed)
    print("# Results by Python's decimal module; numbers as the 128 bits of the binary encoding.")
    print(f"# Made by decimal128-python.py: {count} cases, seed {seed}.")
    for index in range(count):
        if index % 3 == 0:
            number = any_number(chance)
            print("text", bits(number), CONTEXT.to_sci_string(number))
        else:
            double = any_double(chance)
            number = any_number(chance) if index % 15 == 1 else near(double, chance)
            code = struct.unpack("<Q", struct.pack("<d", double))[0]
            print("order", bits(number), f"{code:016x}", symbol(number, decimal.Decimal(double)))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
